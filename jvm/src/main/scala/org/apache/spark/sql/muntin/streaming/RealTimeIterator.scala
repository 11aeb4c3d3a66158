package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.muntin.execution.rows.{PartitionChanges, ResultIterator}
import org.apache.spark.sql.muntin.spark.RealTimeMode

/**
 * Runs the batch of one partition in Spark's real-time mode: the rows arrive one by one, of any
 * group, and the next row may arrive much later. So it reads a row only when the results of the row
 * before it have been consumed. The order is `group`: only its own rows give a group work.
 *
 * {{{
 *   a 10:01      group a: begin, arrive, result
 *   b 10:00      group b: begin, arrive, result
 *   a 10:02      group a: begin (it is in memory), arrive, result
 *   no more      both groups are written, and the state is committed
 * }}}
 *
 * Between the last row of a batch and the first row of the next batch no row has a result. So most
 * groups are written before the batch ends, a few after each row (EarlyWrites).
 *
 * Guarded by RealTimeSuite.
 */
final class RealTimeIterator(
    rows: Iterator[InternalRow],
    job: StreamJob,
    groups: StreamGroups,
    batchMillis: Long,
    outputRows: SQLMetric
) extends ResultIterator(outputRows) {
  private val keys = new PartitionChanges(job.keys, job.input)
  private var inGroup = false
  private var count = 0L
  private val early = new EarlyWrites(RealTimeMode.clockMillis, batchMillis)

  override protected def findNext(): InternalRow = {
    while (inGroup || nextRow()) {
      val found = groups.nextOfRow()
      if (found != null) return found
      inGroup = false
    }
    null
  }

  private def nextRow(): Boolean = {
    count += 1L
    // Rows out of order may have no results.
    if ((count & 0x3ff) == 0) context.killTaskIfInterrupted()
    // The sink has the results of the row before.
    if (groups.unwritten > 0) early.write(RealTimeMode.clockMillis, groups)
    inGroup = rows.hasNext
    if (inGroup) {
      val row = rows.next().asInstanceOf[UnsafeRow]
      keys.isNew(row): Unit
      groups.begin(keys.key)
      groups.arrive(row)
    }
    inGroup
  }
}
