package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.metric.SQLMetric

/**
 * The rows that a stateful operator leaves out, which only their group can tell: counted, and
 * written to `file`, if somewhere. LateRowsExec leaves out rows that the watermark has passed.
 */
private[streaming] final class LeftOutRows(
    file: Option[LateFile],
    dropped: SQLMetric,
    unordered: SQLMetric
) {

  /** The clock has closed the windows of the row. */
  def late(row: InternalRow): Unit = leaveOut(row, dropped)

  def outOfOrder(row: InternalRow): Unit = leaveOut(row, unordered)

  private def leaveOut(row: InternalRow, counted: SQLMetric): Unit = {
    counted += 1L
    file.foreach(_.write(row))
  }
}
