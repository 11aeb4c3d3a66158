package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Buffers the rows of a group that wait for the watermark, a log by time. The head lists the pages
 * with the least time in each page, so a page is read only after the watermark has passed this
 * time.
 *
 *     head        rows at 95 and 99
 *     pages       -1, least time 40;  -2, least time 80
 *     release     of rows below 60: page -1 is read and removed; its rows from 60 on wait again
 */
final class BufferedRows(state: GroupPages, rows: RowForm)
    extends RowLog(state, rows, isDense = false, firstPage = -1L) {
  import BufferedRows._

  private var leastInTail = Long.MaxValue

  override def start(group: Array[Byte]): Unit = {
    super.start(group)
    leastInTail = Long.MaxValue
  }

  def read(group: Array[Byte], in: StateInput): Unit = {
    start(group)
    nextPage = in.readVariable()
    var left = in.readVariable()
    while (left > 0L) {
      found(RowLog.Page(
        in.readVariable(),
        in.readVariable(),
        in.readVariable().toInt,
        in.readVariable()
      ))
      left -= 1L
    }
    readTail(in)
    if (inTail > 0) leastInTail = base + in.readVariable()
  }

  def write(out: StateOutput): Unit = {
    out.writeVariable(nextPage)
    out.writeVariable(pages.size.toLong)
    pages.forEach { page =>
      out.writeVariable(page.number)
      out.writeVariable(page.key)
      out.writeVariable(page.count.toLong)
      out.writeVariable(page.storedBytes)
    }
    writeTail(out)
    if (inTail > 0) out.writeVariable(leastInTail - base)
  }

  def add(time: Long, row: UnsafeRow): Unit = {
    append(time, row)
    added(time)
  }

  private def added(time: Long): Unit = {
    leastInTail = math.min(leastInTail, time)
    if (tail.length >= PageBytes) {
      seal(leastInTail)
      leastInTail = Long.MaxValue
    }
  }

  /** Releases the rows whose time is below `bound`, in the order of arrival. */
  def release(bound: Long, to: ReleasedRows): Unit = if (least < bound) {
    val sift: RowLog.Visitor = (time, in, from, until) =>
      if (time < bound) to.addWritten(time, in, from)
      else {
        appendWritten(time, in, from, until)
        added(time)
      }
    val newest = new StateInput(tail.copy)
    val (before, count) = (base, inTail)
    clearTail()
    leastInTail = Long.MaxValue
    var left = pages.size
    while (left > 0) {
      val page = pages.poll()
      if (page.key >= bound) pages.addLast(page)
      else {
        visit(page)(sift)
        remove(page)
      }
      left -= 1
    }
    visit(newest, before, count)(sift)
  }

  /** Copies all rows to `to`, in the order of arrival. They stay buffered. */
  def show(to: ReleasedRows): Unit = {
    val copied: RowLog.Visitor = (time, in, from, _) => to.addWritten(time, in, from)
    pages.forEach(page => visit(page)(copied))
    visit(new StateInput(tail.copy), base, inTail)(copied)
  }

  def count: Long = inPages + inTail

  /** Returns the least time of all buffered rows; Long.MaxValue if no row is buffered. */
  def least: Long = {
    var least = leastInTail
    pages.forEach(page => least = math.min(least, page.key))
    least
  }
}

private object BufferedRows {

  /** The tail becomes a page when its rows take this many bytes. */
  val PageBytes: Int = 16 << 10
}
