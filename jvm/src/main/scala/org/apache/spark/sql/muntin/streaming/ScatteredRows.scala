package org.apache.spark.sql.muntin.streaming

import java.util

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Keeps single rows of a group, if a row may be needed long after later rows are evicted. The rows
 * are in pages of 128 rows, and the newest rows are in the group's head.
 *
 *     pages               rows 0 to 127, rows 128 to 255        head: rows 256 to 270
 *     still needed        5, 130, 200, and 256 to 270
 *     rewritten           3 of 256 rows in pages are needed: the pages go, the rows join the head
 *
 * An evicted row stays in its page until more than half of the rows in pages are evicted. Then the
 * rows that are still needed are read from all pages and written again. So the state is at most
 * twice as large as the rows that are needed, and each row is written at most two more times. Rows
 * in pages arrive again even if they are evicted: the kernel skips them.
 */
final class ScatteredRows(state: GroupPages, rows: RowForm)
    extends GroupRows(state, rows, isDense = false) {
  import ScatteredRows._

  private var limit = MostAdded

  override def start(group: Array[Byte]): Unit = {
    super.start(group)
    limit = MostAdded
  }

  override def add(row: UnsafeRow, kernel: StreamKernel): Unit = {
    if (inTail >= limit) {
      retain(kernel.positions)
      limit = math.max(MostAdded, 2 * inTail)
    }
    append(kernel.arrived - 1L, row)
  }

  /**
   * Keeps only the rows of the tail at the positions of `there`, which ascend. A row never takes
   * more bytes than it did with the rows before it, so rows are written in place.
   */
  private def retain(there: Array[Long]): Unit = {
    val (written, count) = (tailInPlace, inTail)
    last = base
    clearTail()
    visit(written, base, count)(among(there, base + 1L))
  }

  /** Appends the rows at the positions of `there` that are not below `from`. */
  private def among(there: Array[Long], from: Long): RowLog.Visitor = {
    var at = search(there, from)
    (position, in, start, until) => {
      while (at < there.length && there(at) < position) at += 1
      if (at < there.length && there(at) == position) appendWritten(position, in, start, until)
    }
  }

  override def dropUnneeded(kernel: StreamKernel): Unit = {
    val there = kernel.positions
    retain(there)
    val inUse = search(there, base + 1L)
    if (inPages > 2L * inUse) {
      if (inUse > 0) collect(there)
      drop()
    }
    sealEach(PageRows)
  }

  /** Moves the rows that are still needed out of the pages. */
  private def collect(there: Array[Long]): Unit = {
    val (newest, before, count) = (new StateInput(tail.copy), base, inTail)
    val first = there(0)
    last = first - 1L
    clearTail()
    val stay = among(there, first)
    pages.forEach(page => visit(page)(stay))
    visit(newest, before, count)(stay)
  }

  override def count: Long = inPages + inTail
}

private object ScatteredRows {

  /** The number of rows in a page. */
  val PageRows = 128

  /** The number of rows to add before the next search for evicted rows. */
  val MostAdded = 1024

  /** Returns the index of the first of `ascending` that is not below `value`. */
  def search(ascending: Array[Long], value: Long): Int = {
    val found = util.Arrays.binarySearch(ascending, value)
    if (found >= 0) found else -found - 1
  }
}
