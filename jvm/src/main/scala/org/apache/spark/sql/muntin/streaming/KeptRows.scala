package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group from the kernel's floor on, in pages of 128 positions. A full page is written
 * once, and dropped whole. The newest rows, which are in no page yet, are the tail: it lies in the
 * group's head, which is written anew in each micro-batch. A page is read only when its rows have
 * to arrive again.
 *
 *     floor = 300, rows until 700      pages 2, 3 and 4 hold positions 256 to 639
 *                                      the head holds positions 640 to 699
 *     floor = 400                      page 2 is dropped
 *
 * Where windows are narrower than a page, no page is written: when a page is full, the tail keeps
 * the rows from the floor on, so that it has up to 255 rows.
 *
 *     floor = 750, rows until 768      the head holds positions 750 to 767
 *     floor = 760, rows until 896      pages 5 and 6 hold positions 750 to 767 and 768 to 895
 */
final class KeptRows(state: StreamState, rows: RowForm) extends GroupRows {
  import KeptRows.PageRows

  private var group: Array[Byte] = _
  // The first page that is there; all pages from it to the head's are.
  private var firstPage = 0L
  private var pagesBytes = 0L
  private val tail = new StateOutput
  // Where each row of the tail begins.
  private val offsets = new Array[Int](2 * PageRows)
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

  /** A page is full. */
  private def turn(floor: Long): Unit =
    if (end - floor < PageRows) cutTail(math.min(math.max(floor, tailFrom), end)) else writeTail()

  /** Where a row of the tail begins; for `end`, where the tail ends. */
  private def startOf(position: Long): Int =
    if (position < end) offsets((position - tailFrom).toInt) else tail.length

  /** The rows before `from` are no longer needed. */
  private def cutTail(from: Long): Unit = {
    dropPages(tailFrom / PageRows)
    val cut = (from - tailFrom).toInt
    val left = (end - from).toInt
    val start = startOf(from)
    tail.drop(start)
    var i = 0
    while (i < left) {
      offsets(i) = offsets(cut + i) - start
      i += 1
    }
    tailFrom = from
    firstPage = from / PageRows
  }

  /** Writes the rows of the tail to pages; the first page may begin in its middle. */
  private def writeTail(): Unit = {
    var from = tailFrom
    while (from < end) {
      val page = from / PageRows
      val until = math.min(end, (page + 1L) * PageRows)
      val record = new StateOutput
      record.writeLong(from)
      record.write(tail.bytes, startOf(from), startOf(until) - startOf(from))
      pagesBytes += state.putPage(group, page, record)
      from = until
    }
    tail.clear()
    tailFrom = end
  }

  override def dropUnneeded(kernel: StreamKernel): Unit = {
    floor = math.max(floor, math.min(kernel.floor, end))
    if (floor > tailFrom) cutTail(floor) else dropPages(floor / PageRows)
  }

  override def count: Long = end - floor

  override def memory: Long = 4L * offsets.length + tail.bytes.length

  override def write(out: StateOutput): Unit = {
    out.writeLong(floor)
    out.writeLong(firstPage)
    out.writeLong(tailFrom)
    if (pages > 0L) out.writeLong(pagesBytes)
    out.writeInt((end - tailFrom).toInt)
    out.write(tail.bytes, 0, tail.length)
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
