package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.KeyedRows

/**
 * Passes the rows of a group from the task's sorted rows to the kernel, without a copy. `check`
 * receives each row first; the first row from `until` on and all later rows go to `buffer`.
 *
 *     rows at 10:01 10:02 10:05, until = 10:03    two rows for the kernel, one is buffered
 *
 * The group may be larger than the memory. Guarded by BootstrapSuite.
 */
final class SortedRows(
    rows: KeyedRows,
    number: TimeNumber,
    until: Long,
    check: UnsafeRow => Unit,
    buffer: (Long, UnsafeRow) => Unit
) extends KernelRows {
  // True while the current row of `rows` is in the group.
  private var isInGroup = true
  // True if the current row has been passed on, and its successor is not read yet.
  private var isPassed = true
  private var time = Long.MinValue
  take()

  private def take(): Unit = {
    isPassed = false
    check(rows.row)
    time = number.of(rows.row)
    if (time >= until) bufferRest()
  }

  private def bufferRest(): Unit = {
    buffer(time, rows.row)
    rows.next()
    while (rows.inGroup) {
      check(rows.row)
      buffer(number.of(rows.row), rows.row)
      rows.next()
    }
    isInGroup = false
  }

  override def hasNext: Boolean = {
    if (isPassed && isInGroup) {
      rows.next()
      isInGroup = rows.inGroup
      if (isInGroup) take()
    }
    isInGroup
  }

  override def nextTime: Long = time

  override def next(): UnsafeRow = {
    isPassed = true
    rows.row
  }
}
