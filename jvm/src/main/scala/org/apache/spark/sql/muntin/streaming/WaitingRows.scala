package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that wait for the watermark, in the order in which they came: the newest in
 * the group's head, the others in pages. The head says what the least time in each page is, so a
 * page is read only when the watermark has passed this time. Before each row stands how much later
 * it is than the row before it, the first of a page than time 0: most rows need few bytes for it.
 *
 *     head        rows at 95 and 99: +95, a row, +4, a row
 *     pages       -1, least time 40;  -2, least time 80
 *     release     of rows below 60: page -1 is read, and dropped; its rows from 60 on wait again
 */
final class WaitingRows(state: GroupPages, rows: RowForm) {
  import WaitingRows._

  private var group: Array[Byte] = _
  private val pages = mutable.ArrayBuffer.empty[Page]
  private var nextPage = -1L
  private val newest = new StateOutput
  private var newestCount = 0
  private var newestLeast = Long.MaxValue
  // The time of the last row in `newest`.
  private var lastTime = 0L

  def start(group: Array[Byte]): Unit = {
    this.group = group
    pages.clear()
    nextPage = -1L
    clearNewest()
  }

  private def clearNewest(): Unit = {
    newest.clear()
    newestCount = 0
    newestLeast = Long.MaxValue
    lastTime = 0L
  }

  /** How many bytes the waiting rows take in memory. */
  def memory: Long = newest.bytes.length + 32L * pages.length

  def read(group: Array[Byte], in: StateInput): Unit = {
    start(group)
    nextPage = in.readLong()
    pages ++= Array.fill(in.readInt())(Page(in.readLong(), in.readLong(), in.readInt()))
    newestLeast = in.readLong()
    lastTime = in.readLong()
    newestCount = in.readInt()
    newest.writeRest(in)
  }

  /** Hands on the rows whose time is below `bound`, in the order in which they came. */
  def release(bound: Long, to: ReleasedRows): Unit = if (least < bound) {
    val last = new StateInput(newest.copy)
    val count = newestCount
    clearNewest()
    val before = pages.toArray
    pages.clear()
    before.foreach { page =>
      if (page.least >= bound) pages += page
      else {
        val bytes = state.page(group, page.number)
        sift(new StateInput(bytes), page.count, bound, to)
        state.removePage(group, page.number, StreamStore.pageBytes(group, bytes.length))
      }
    }
    sift(last, count, bound, to)
  }

  private def sift(in: StateInput, count: Int, bound: Long, to: ReleasedRows): Unit =
    foreach(in, count) { (time, from) =>
      if (time < bound) to.addWritten(time, in, from)
      else {
        writeTime(time)
        newest.write(in.view.array, from, in.at - from)
        added(time)
      }
    }

  /** Calls `act` with the time of each row, and with where the row begins; it ends at `in.at`. */
  private def foreach(in: StateInput, count: Int)(act: (Long, Int) => Unit): Unit = {
    var time = 0L
    var left = count
    while (left > 0) {
      time += in.readVariable()
      val from = in.at
      rows.skip(in)
      val until = in.at
      act(time, from)
      // Rows of equal times are read to be compared.
      in.moveTo(until)
      left -= 1
    }
  }

  /** Hands on all rows, in the order in which they came; they go on to wait. */
  def show(to: ReleasedRows): Unit = {
    pages.foreach { page =>
      show(new StateInput(state.page(group, page.number)), page.count, to)
    }
    show(new StateInput(newest.copy), newestCount, to)
  }

  private def show(in: StateInput, count: Int, to: ReleasedRows): Unit =
    foreach(in, count)((time, from) => to.addWritten(time, in, from))

  def add(time: Long, row: UnsafeRow): Unit = {
    writeTime(time)
    rows.write(row, newest)
    added(time)
  }

  private def writeTime(time: Long): Unit = {
    newest.writeVariable(time - lastTime)
    lastTime = time
  }

  private def added(time: Long): Unit = {
    newestCount += 1
    newestLeast = math.min(newestLeast, time)
    if (newest.length >= PageBytes) turn()
  }

  private def turn(): Unit = {
    state.putPage(group, nextPage, newest): Unit
    pages += Page(nextPage, newestLeast, newestCount)
    nextPage -= 1L
    clearNewest()
  }

  def count: Long = {
    var count = newestCount.toLong
    var i = 0
    while (i < pages.length) {
      count += pages(i).count
      i += 1
    }
    count
  }

  /** The least time of all waiting rows; Long.MaxValue where no row waits. */
  def least: Long = {
    var least = newestLeast
    var i = 0
    while (i < pages.length) {
      least = math.min(least, pages(i).least)
      i += 1
    }
    least
  }

  def write(out: StateOutput): Unit = {
    out.writeLong(nextPage)
    out.writeInt(pages.length)
    pages.foreach { page =>
      out.writeLong(page.number)
      out.writeLong(page.least)
      out.writeInt(page.count)
    }
    out.writeLong(newestLeast)
    out.writeLong(lastTime)
    out.writeInt(newestCount)
    out.write(newest.bytes, 0, newest.length)
  }
}

private object WaitingRows {

  /** A page is full when its rows take so many bytes. */
  val PageBytes: Int = 16 << 10

  final case class Page(number: Long, least: Long, count: Int)
}
