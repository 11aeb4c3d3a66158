package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that windows still need, in pages of so many positions: full pages are written once
 * and dropped whole; those of the newest page lie in the group's head, which is written anew each time.
 * A page is read only when rows have to arrive again.
 */
final class KeptRows(state: StreamState, rows: CompactRows) {
  import KeptRows.PageRows

  private var group: Array[Byte] = _
  // Pages from that one until that of the tail are there.
  private var firstPage = 0L
  private val tail = new StateOutput
  private val offsets = new Array[Int](PageRows + 1)
  private var tailFrom = 0L
  private var end = 0L

  /** What it takes in memory. */
  def memory: Long = 4L * PageRows + tail.bytes.length

  def start(group: Array[Byte]): Unit = {
    this.group = group
    firstPage = 0L
    tail.clear()
    tailFrom = 0L
    end = 0L
  }

  /** The rows from `floor` on, of which the newest are in the head, which comes to `in`. */
  def read(group: Array[Byte], in: StateInput, arrive: (Long, UnsafeRow) => Unit): Unit = {
    start(group)
    val floor = in.readLong()
    firstPage = in.readLong()
    tailFrom = in.readLong()
    end = tailFrom
    var page = math.max(firstPage, floor / PageRows)
    while (page < tailFrom / PageRows) {
      val bytes = new StateInput(state.store.page(group, page))
      var position = bytes.readLong()
      val until = (page + 1L) * PageRows
      while (position < until) {
        val row = rows.read(bytes)
        if (position >= floor) arrive(position, row)
        position += 1L
      }
      page += 1L
    }
    var left = in.readInt()
    while (left > 0) {
      val row = rows.read(in)
      arrive(end, row)
      append(row)
      left -= 1
    }
  }

  /** The next row; `floor`, the first that is still needed, for when a page is full. */
  def add(row: UnsafeRow, floor: () => Long): Unit = {
    append(row)
    if (end % PageRows == 0L) turn(floor())
  }

  private def append(row: UnsafeRow): Unit = {
    offsets((end - tailFrom).toInt) = tail.length
    rows.write(row, tail)
    end += 1L
  }

  private def turn(floor: Long): Unit = {
    val page = end / PageRows - 1L
    if (floor < end) {
      val record = new StateOutput
      record.writeLong(tailFrom)
      record.write(tail.bytes, 0, tail.length)
      state.store.putPage(group, page, record.bytes, record.length)
      state.totals.pages += 1L
    } else {
      dropPages(page)
      firstPage = page + 1L
    }
    tail.clear()
    tailFrom = end
  }

  /** Drops the pages before `floor` and writes the rest of the newest one to `out`. */
  def write(floor: Long, out: StateOutput): Unit = {
    dropPages(math.min(floor / PageRows, tailFrom / PageRows))
    val from = math.max(tailFrom, math.min(floor, end))
    out.writeLong(math.min(floor, end))
    out.writeLong(firstPage)
    out.writeLong(from)
    val count = (end - from).toInt
    out.writeInt(count)
    if (count > 0) {
      val offset = offsets((from - tailFrom).toInt)
      out.write(tail.bytes, offset, tail.length - offset)
    }
  }

  def drop(): Unit = dropPages(tailFrom / PageRows)

  private def dropPages(until: Long): Unit =
    while (firstPage < until) {
      state.store.removePage(group, firstPage)
      state.totals.pages -= 1L
      firstPage += 1L
    }
}

object KeptRows {

  /** So many positions are a page. */
  val PageRows = 128
}
