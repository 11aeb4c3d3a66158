package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.muntin.execution.rows.PartitionChanges
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SortedInputExec}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.{InvalidRow, ShownRow}

/**
 * Passes on anchors in their `order`, and fails if an anchor breaks the promise of an earlier one:
 * if its obsolete time decreases, or it starts before the obsolete time of an earlier anchor. A
 * null promises nothing.
 */
case class CheckedAnchorsExec(
    keys: Seq[Attribute],
    order: Attribute,
    start: Attribute,
    end: Attribute,
    obsolete: Attribute,
    child: SparkPlan
) extends UnaryExecNode
    with SortedInputExec {
  override def nodeName: String = "MuntinCheckedAnchors"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = requiredChildOrdering.head

  override def inputs: Seq[SortedInput] = Seq(SortedInput.ascending(keys, order, start, end))

  override protected def doExecute(): RDD[InternalRow] = {
    val (of, first, promised, input) = (keys, start, obsolete, child.output)
    val shown = ShownRow(input, conf.sessionLocalTimeZone)
    child.execute().mapPartitionsInternal { rows =>
      val checked = new AnchorPromises(of, first, promised, input, shown)
      rows.map { row =>
        checked(row.asInstanceOf[UnsafeRow])
        row
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): CheckedAnchorsExec =
    copy(child = newChild)
}

/** Tracks the promises of a key's anchors. */
private final class AnchorPromises(
    keys: Seq[Attribute],
    start: Attribute,
    obsolete: Attribute,
    output: Seq[Attribute],
    shown: ShownRow
) {
  private val groups = new PartitionChanges(keys, output)
  private val times = UnsafeProjection.create(Seq(start, obsolete), output)
  private val order = RowOrdering.createNaturalAscendingOrdering(Seq(start.dataType))
  private val timeOf = Seq(0, 1).map { i =>
    UnsafeProjection.create(Seq(BoundReference(i, start.dataType, nullable = true)))
  }
  // The newest row with a promise, and its promise; null if there is none.
  private var promising: UnsafeRow = _
  private var promise: UnsafeRow = _

  def apply(row: UnsafeRow): Unit = {
    if (groups.isNew(row)) {
      promising = null
      promise = null
    }
    val both = times(row)
    if (promise != null && !both.isNullAt(0) && order.compare(timeOf(0)(both), promise) < 0) {
      throw broken(row, s"starts before ${obsolete.name} of")
    }
    if (!both.isNullAt(1)) {
      val next = timeOf(1)(both)
      if (promise != null && order.compare(next, promise) < 0) {
        throw broken(row, s"has a ${obsolete.name} before that of")
      }
      promising = row.copy()
      promise = next.copy()
    }
  }

  private def broken(row: UnsafeRow, how: String): Throwable =
    BrokenPromise(shown(row), how, shown(promising), "comes earlier or at the same time")
}

/** The error of an anchor that an earlier anchor's promise excluded. */
private[muntin] object BrokenPromise {
  def apply(anchor: String, how: String, promising: String, earlier: String): Throwable =
    InvalidRow(
      WindowBy.name,
      "obsolete",
      s"not kept: the anchor ($anchor) $how ($promising), which $earlier"
    )
}
