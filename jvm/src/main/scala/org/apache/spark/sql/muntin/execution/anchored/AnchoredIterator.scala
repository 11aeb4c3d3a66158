package org.apache.spark.sql.muntin.execution.anchored

import org.apache.spark.sql.muntin.execution.functions.AggregatePlan
import org.apache.spark.sql.muntin.execution.rows.{
  JoinedResults,
  KeyedRows,
  OperatorMetrics,
  ResultIterator,
  TaskMemory
}
import org.apache.spark.sql.muntin.execution.split.TaskRows
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.types.DataType

/**
 * Iterates over the anchors of one task and the rows of the source, `ofTask`, key by key; both are
 * sorted. The first row of the source may be in the middle of its key's rows: blocks of rows then
 * begin as if all rows of the key were present.
 */
final class AnchoredIterator(
    anchors: KeyedRows,
    source: KeyedRows,
    ofTask: TaskRows,
    bounds: AnchorBounds,
    functions: Seq[AggregatePlan],
    results: Seq[DataType],
    reserved: Option[Int],
    shown: RowFormatter,
    metrics: OperatorMetrics,
    forceSpill: Boolean
) extends ResultIterator(metrics.outputRows, Some(metrics.duration)) {
  private val memory = TaskMemory.paged(context, forceSpill)(metrics.add)
  private val kernel =
    new AnchoredKernel(bounds, functions, anchors.output, source.output, memory)
  private val order = RowOrdering.createNaturalAscendingOrdering(anchors.keys.map(_.dataType))
  private val joined = new JoinedResults(anchors.output, results, anchors.output.size, reserved)

  // True if the source is at a row of the anchor's keys.
  private var matched = false

  // The anchors first: their reach determines the chunk of the source.
  anchors.next()
  source.next()
  private var isFirst = true
  // True if the current anchor has been emitted. It stays valid until the next is read.
  private var isOut = false

  override protected def findNext(): InternalRow = {
    if (isOut) anchors.next()
    isOut = anchors.row != null
    if (!isOut) null
    else {
      if (!anchors.inGroup) startGroup()
      val fault = kernel.aim(anchors.row)
      if (fault != null) throw fault.error(shown(anchors.row))
      while (matched && kernel.needsMore) {
        kernel.arrive(source.row)
        source.next()
        matched = source.inGroup
      }
      kernel.write(joined.target)
      joined.join(anchors.row)
    }
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
