package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.over.OverMetrics
import org.apache.spark.sql.muntin.execution.rows.{PartitionChanges, TaskMemory}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.{InvalidRow, ShownRow, WindowBy}
import org.apache.spark.sql.types.DataType

/**
 * One of the two sorted inputs of window_by: its rows, and where the rows of the next key begin.
 */
private[execution] final class KeyedRows(
    rows: Iterator[InternalRow],
    keys: Seq[Attribute],
    output: Seq[Attribute]
) {
  private val context = TaskContext.get()
  private val changes = new PartitionChanges(keys, output)
  private var current: UnsafeRow = _
  private var first = false
  private var read = 0L

  /** The current row; null behind the last row. */
  def row: UnsafeRow = current

  /** The keys of the current row. */
  def key: UnsafeRow = changes.key

  /** Whether there is a current row that is not the first of its keys. */
  def inGroup: Boolean = current != null && !first

  def next(): Unit = {
    read += 1
    // Many rows may lie between two results, and nothing else would check for a kill.
    if ((read & 0x3ff) == 0) context.killTaskIfInterrupted()
    current = if (rows.hasNext) rows.next().asInstanceOf[UnsafeRow] else null
    first = current != null && changes.isNew(current)
  }

  def nextGroup(): Unit = {
    next()
    while (inGroup) next()
  }
}

/**
 * Goes along the anchors of one task and the rows of the source, `ofTask`, key by key; both are
 * sorted. The first row of the source may be in the middle of its key's rows: blocks of rows then
 * begin as if all rows of the key were there.
 */
final class AnchoredIterator(
    anchors: KeyedRows,
    source: KeyedRows,
    ofTask: TaskRows,
    plan: AnchorPlan,
    functions: Seq[AggregatePlan],
    keys: Seq[DataType],
    results: Seq[DataType],
    anchorOutput: Seq[Attribute],
    sourceOutput: Seq[Attribute],
    shown: ShownRow,
    metrics: OverMetrics,
    forceSpill: Boolean
) extends Iterator[InternalRow] {
  private val context = TaskContext.get()
  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)
  private val kernel =
    new AnchoredKernel(plan, functions, anchorOutput, sourceOutput, memory)
  private val order = RowOrdering.createNaturalAscendingOrdering(keys)
  private val target = new SpecificInternalRow(results)
  private val joined = new JoinedRow
  private val projection = {
    val fields = anchorOutput.map(a => (a.dataType, a.nullable)) ++ results.map((_, true))
    UnsafeProjection.create(fields.zipWithIndex.map { case ((dataType, nullable), i) =>
      BoundReference(i, dataType, nullable)
    })
  }

  // Whether the source stands at a row of the anchor's keys.
  private var matched = false

  // The anchors first: what a chunk reads of the source is how far they reach.
  anchors.next()
  source.next()
  private var isFirst = true

  override def hasNext: Boolean = anchors.row != null

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    if (!anchors.inGroup) startGroup()
    val fault = kernel.aim(anchors.row)
    if (fault != null) {
      throw InvalidRow(WindowBy.name, "anchors", s"(${shown(anchors.row)}), of which $fault")
    }
    while (matched && kernel.needsMore) {
      kernel.arrive(source.row)
      source.next()
      matched = source.inGroup
    }
    kernel.write(target)
    metrics.outputRows += 1
    val out = projection(joined(anchors.row, target))
    // Only now: the input may reuse the row, which the result has copied.
    anchors.next()
    out
  }

  private def startGroup(): Unit = {
    if (source.inGroup) source.nextGroup()
    matched = false
    if (!anchors.key.anyNull) {
      while (source.row != null && order.compare(source.key, anchors.key) < 0) source.nextGroup()
      matched = source.row != null && order.compare(source.key, anchors.key) == 0
    }
    // A chunk begins with rows of its first anchor's keys, if it has any.
    kernel.startGroup(if (isFirst && matched) ofTask.chunk.fold(0L)(_.position) else 0L)
    isFirst = false
  }
}
