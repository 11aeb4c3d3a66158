package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that must arrive again in a later micro-batch, a log by position. If the
 * kernel keeps all rows from its floor on, they are RetainedRows; if it keeps rows one by one,
 * ScatteredRows.
 *
 *     a micro-batch   start, or read: kept rows arrive again;  add (each new row);
 *                     dropUnneeded;  count, write, or drop (nothing of the group is kept)
 */
abstract class GroupRows(state: GroupPages, rows: RowForm, isDense: Boolean)
    extends RowLog(state, rows, isDense, firstPage = 0L) {

  /** Rows before this position are evicted, and do not arrive again. */
  protected var floor = 0L

  override def start(group: Array[Byte]): Unit = {
    super.start(group)
    floor = 0L
  }

  /** Reads the rows of a group into the kernel; `in` is the group's head. */
  def read(group: Array[Byte], in: StateInput, kernel: StreamKernel): Unit = {
    start(group)
    floor = in.readVariable()
    nextPage = in.readVariable()
    var number = nextPage - in.readVariable()
    while (number < nextPage) {
      val page = read(number)
      val before = page.readVariable()
      val count = page.readVariable().toInt
      found(RowLog.Page(number, replay(page, before, count, kernel), count, storedBytes(page)))
      number += 1L
    }
    readTail(in)
    replay(tailInPlace, base, inTail, kernel): Unit
  }

  /** Returns the last position. */
  private def replay(in: StateInput, base: Long, count: Int, kernel: StreamKernel): Long = {
    var position = base
    var left = count
    while (left > 0) {
      position = nextKey(in, position)
      if (position >= floor) kernel.replayRow(position, form.read(in)) else form.skip(in)
      left -= 1
    }
    position
  }

  /** Starts a group whose first row has this position. */
  final def start(group: Array[Byte], first: Long): Unit = {
    start(group)
    floor = first
    startAfter(first - 1L)
  }

  /** Adds the row that arrived last at the kernel. */
  def add(row: UnsafeRow, kernel: StreamKernel): Unit

  /** Drops the rows that the kernel no longer needs. Call it before `count` and `write`. */
  def dropUnneeded(kernel: StreamKernel): Unit

  /** Returns the number of rows. */
  def count: Long

  /** Writes the newest rows to the head. */
  final def write(out: StateOutput): Unit = {
    out.writeVariable(floor)
    out.writeVariable(nextPage)
    out.writeVariable(pages.size.toLong)
    writeTail(out)
  }

  /** Removes all pages, if the state keeps no row of the group. */
  final def drop(): Unit = while (!pages.isEmpty) remove(pages.poll())
}
