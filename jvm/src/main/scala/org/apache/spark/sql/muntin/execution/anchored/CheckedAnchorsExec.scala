package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, PartitionChanges}
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SortedInputExec}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

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

  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext)

  override protected def doExecute(): RDD[InternalRow] = {
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    val (of, first, promised, input) = (keys, start, obsolete, child.output)
    val shown = RowFormatter(input, conf.sessionLocalTimeZone)
    child.execute().mapPartitionsInternal { rows =>
      val checked = new AnchorPromises(of, first, promised, input, shown)
      rows.map { row =>
        checked(row.asInstanceOf[UnsafeRow])
        outputRows += 1L
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
    shown: RowFormatter
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
      throw broken(BrokenPromise.StartsBefore, row)
    }
    if (!both.isNullAt(1)) {
      val next = timeOf(1)(both)
      if (promise != null && order.compare(next, promise) < 0) {
        throw broken(BrokenPromise.Decreases, row)
      }
      promising = row.copy()
      promise = next.copy()
    }
  }

  private def broken(promise: BrokenPromise, row: UnsafeRow): Throwable =
    promise.error(obsolete.name, shown(row), shown(promising))
}

/** How an anchor breaks the promise of an anchor that was earlier, or at the same time. */
private[muntin] sealed abstract class BrokenPromise(condition: String) {
  def error(obsolete: String, anchor: String, earlier: String): RuntimeException =
    new MuntinRuntimeException(
      condition,
      "function" -> WindowBy.name,
      "obsolete" -> obsolete,
      "row" -> anchor,
      "earlier" -> earlier
    )
}

private[muntin] object BrokenPromise {
  case object StartsBefore extends BrokenPromise("MUNTIN_ANCHOR_STARTS_BEFORE_OBSOLETE")
  case object Decreases extends BrokenPromise("MUNTIN_OBSOLETE_DECREASES")
}
