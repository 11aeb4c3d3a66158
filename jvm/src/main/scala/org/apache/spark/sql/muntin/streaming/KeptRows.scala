package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group from the kernel's floor on, in pages of 128 positions. A full page is written
 * once, and dropped whole. The rows of the newest page lie in the group's head, which is written
 * anew in each micro-batch. A page is read only when its rows have to arrive again.
 *
 *     floor = 300, rows until 700      pages 2, 3 and 4 hold positions 256 to 639
 *                                      the head holds positions 640 to 699
 *     floor = 400                      page 2 is dropped
 */
final class KeptRows(state: StreamState, rows: RowForm) extends GroupRows {
  import KeptRows.PageRows

  private var group: Array[Byte] = _
  // The first page that is there; all pages from it to the head's are.
  private var firstPage = 0L
  private var pagesBytes = 0L
  private val tail = new StateOutput
  private val offsets = new Array[Int](PageRows + 1)
  private var tailFrom = 0L
  private var end = 0L
  private var floor = 0L

  override def start(group: Array[Byte]): Unit = {
    this.group = group
    firstPage = 0L
    pagesBytes = 0L
    tail.clear()
    tailFrom = 0L
    end = 0L
    floor = 0L
  }

  private def pages: Long = math.max(0L, tailFrom / PageRows - firstPage)

  /** Reads the rows from the floor on. */
  override def read(group: Array[Byte], in: StateInput, arrive: (Long, UnsafeRow) => Unit): Unit = {
    start(group)
    floor = in.readLong()
    firstPage = in.readLong()
    tailFrom = in.readLong()
    end = tailFrom
    if (pages > 0L) pagesBytes = in.readLong()
    var page = math.max(firstPage, floor / PageRows)
    while (page < tailFrom / PageRows) {
      val bytes = new StateInput(state.store.page(group, page))
      var position = bytes.readLong()
      val until = (page + 1L) * PageRows
      while (position < until) {
        if (position >= floor) arrive(position, rows.read(bytes)) else rows.skip(bytes)
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

  override def add(row: UnsafeRow, kernel: StreamKernel): Unit = {
    append(row)
    if (end % PageRows == 0L) turn(kernel.floor)
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
      pagesBytes += state.putPage(group, page, record)
    } else {
      dropPages(page)
      firstPage = page + 1L
    }
    tail.clear()
    tailFrom = end
  }

  /** Drops the pages before the floor. */
  override def dropUnneeded(kernel: StreamKernel): Unit = {
    floor = math.max(floor, math.min(kernel.floor, end))
    dropPages(math.min(floor / PageRows, tailFrom / PageRows))
  }

  override def count: Long = end - floor

  override def memory: Long = 4L * PageRows + tail.bytes.length

  override def write(out: StateOutput): Unit = {
    val from = math.max(tailFrom, floor)
    out.writeLong(floor)
    out.writeLong(firstPage)
    out.writeLong(from)
    if (pages > 0L) out.writeLong(pagesBytes)
    val count = (end - from).toInt
    out.writeInt(count)
    if (count > 0) {
      val offset = offsets((from - tailFrom).toInt)
      out.write(tail.bytes, offset, tail.length - offset)
    }
  }

  override def drop(): Unit = dropPages(tailFrom / PageRows)

  private def dropPages(until: Long): Unit =
    while (firstPage < until) {
      // How many bytes a page takes only the page itself knows: all count alike, and the last takes
      // the rest.
      val taken = pagesBytes / pages
      state.removePage(group, firstPage, taken)
      pagesBytes -= taken
      firstPage += 1L
    }
}

object KeptRows {

  /** How many positions are in a page. */
  val PageRows = 128
}
