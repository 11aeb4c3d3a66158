package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * Counts the rows that a stateful operator drops because of their group's state, and writes them to
 * `file`, if any. LateRowsExec drops the rows below the watermark. Also counts expired groups.
 */
private[streaming] final class GroupDrops(
    file: Option[LateFile],
    dropped: SQLMetric,
    unordered: SQLMetric,
    expiredGroups: SQLMetric
) {

  /** Drops the state of a group at the end of its ttl. */
  def expired(): Unit = expiredGroups += 1L

  /** Drops a row whose windows the clock has closed. */
  def late(row: InternalRow): Unit = drop(row, dropped)

  def outOfOrder(row: InternalRow): Unit = drop(row, unordered)

  private def drop(row: InternalRow, counted: SQLMetric): Unit = {
    counted += 1L
    file.foreach(_.write(row))
  }
}
