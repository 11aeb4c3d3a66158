package org.apache.spark.sql.muntin.streaming

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group from the kernel's floor on, in pages. A page is written once, and dropped
 * whole. The newest rows, which are in no page yet, are the tail: it lies in the group's head,
 * which is written anew in each micro-batch. A page is read only when its rows have to arrive
 * again.
 *
 *     windows of 1,000 rows, 100 rows in each micro-batch
 *     micro-batch 1     positions 0 to 99      page 0
 *     micro-batch 2     positions 100 to 199   page 1
 *     micro-batch 11    floor = 100            page 0 is dropped
 *
 *     windows of 1,000 rows, 10 rows in each micro-batch
 *     micro-batch 7     positions 0 to 69      page 0; until then they were the tail
 *
 *     windows of 20 rows
 *     any micro-batch   floor = end - 20       no page is written: the tail keeps 20 rows
 *
 * At the end of a micro-batch the tail becomes a page where it has 64 rows or more, all of which
 * are still needed when the floor has moved on once more as in this micro-batch. Within a
 * micro-batch the tail becomes a page where 256 rows are in it, of which at least 128 are still
 * needed. So a row is written about once where a micro-batch brings many rows of a group, and at
 * most 64 rows are written again and again.
 *
 * Guarded by KeptRowsSuite.
 */
final class KeptRows(state: GroupPages, rows: RowForm) extends GroupRows {
  import KeptRows._

  private var group: Array[Byte] = _
  private val pages = new Pages
  private val tail = new StateOutput
  // Where each row of the tail begins.
  private val offsets = new Array[Int](MostInTail)
  private var tailFrom = 0L
  private var end = 0L
  private var floor = 0L
  // Where the floor was at the end of the micro-batch before this one.
  private var floorBefore = 0L

  override def start(group: Array[Byte]): Unit = {
    this.group = group
    pages.clear(0L)
    tail.clear()
    tailFrom = 0L
    end = 0L
    floor = 0L
    floorBefore = 0L
  }

  /** Reads the rows from the floor on. */
  override def read(group: Array[Byte], in: StateInput, arrive: (Long, UnsafeRow) => Unit): Unit = {
    start(group)
    floor = in.readLong()
    floorBefore = floor
    tailFrom = in.readLong()
    pages.clear(in.readLong())
    var left = in.readInt()
    while (left > 0) {
      readPage(arrive)
      left -= 1
    }
    end = tailFrom
    left = in.readInt()
    while (left > 0) {
      val row = rows.read(in)
      arrive(end, row)
      append(row)
      left -= 1
    }
  }

  private def readPage(arrive: (Long, UnsafeRow) => Unit): Unit = {
    val bytes = state.page(group, pages.next)
    val in = new StateInput(bytes)
    var position = in.readLong()
    val until = position + in.readInt()
    while (position < until) {
      if (position >= floor) arrive(position, rows.read(in)) else rows.skip(in)
      position += 1L
    }
    pages.add(until, StreamStore.pageBytes(group, bytes.length))
  }

  override def add(row: UnsafeRow, kernel: StreamKernel): Unit = {
    if (end - tailFrom == MostInTail) {
      cutTail(kernel.floor)
      if (end - tailFrom >= MostInTail / 2) writeTail()
    }
    append(row)
  }

  private def append(row: UnsafeRow): Unit = {
    offsets((end - tailFrom).toInt) = tail.length
    rows.write(row, tail)
    end += 1L
  }

  /** Drops the rows of the tail before `from`, which are no longer needed. */
  private def cutTail(from: Long): Unit = {
    val cut = (math.min(from, end) - tailFrom).toInt
    if (cut > 0) {
      val left = (end - tailFrom).toInt - cut
      val start = if (left > 0) offsets(cut) else tail.length
      tail.drop(start)
      var i = 0
      while (i < left) {
        offsets(i) = offsets(cut + i) - start
        i += 1
      }
      tailFrom += cut
    }
  }

  /** The tail becomes a page. */
  private def writeTail(): Unit = {
    val page = new StateOutput
    page.writeLong(tailFrom)
    page.writeInt((end - tailFrom).toInt)
    page.write(tail.bytes, 0, tail.length)
    pages.add(end, state.putPage(group, pages.next, page))
    tail.clear()
    tailFrom = end
  }

  override def dropUnneeded(kernel: StreamKernel): Unit = {
    floor = math.max(floor, math.min(kernel.floor, end))
    cutTail(floor)
    while (pages.count > 0 && pages.firstEnd <= floor) dropPage()
    val nextFloor = floor + (floor - floorBefore)
    if (end - tailFrom >= LeastInPage && nextFloor <= tailFrom) writeTail()
    floorBefore = floor
  }

  override def count: Long = end - floor

  override def memory: Long = 4L * offsets.length + tail.bytes.length + pages.memory

  override def write(out: StateOutput): Unit = {
    out.writeLong(floor)
    out.writeLong(tailFrom)
    out.writeLong(pages.first)
    out.writeInt(pages.count)
    out.writeInt((end - tailFrom).toInt)
    out.write(tail.bytes, 0, tail.length)
  }

  override def drop(): Unit = while (pages.count > 0) dropPage()

  private def dropPage(): Unit = {
    state.removePage(group, pages.first, pages.firstBytes)
    pages.dropFirst()
  }
}

private object KeptRows {

  /** The tail becomes a page within a micro-batch when it has so many rows. */
  val MostInTail: Int = 256

  /** The tail becomes a page at the end of a micro-batch when it has so many rows. */
  val LeastInPage: Int = 64

  /** The pages that are there, by ascending number: where each ends, and what it takes. */
  final class Pages {
    private var ends = new Array[Long](4)
    private var bytes = new Array[Long](4)
    // Where the first page is in these arrays, and how many there are.
    private var at = 0
    private var size = 0
    private var number = 0L

    /** The number of the first page, or of the first that will be added. */
    def first: Long = number

    def count: Int = size

    /** The number of the page that is added next. */
    def next: Long = number + size

    /** The position behind the first page's last row. */
    def firstEnd: Long = ends(at)

    /** How many bytes the first page takes in the store. */
    def firstBytes: Long = bytes(at)

    def memory: Long = 16L * ends.length

    /** There is no page, and the next one is `first`. */
    def clear(first: Long): Unit = {
      at = 0
      size = 0
      number = first
    }

    def add(end: Long, taken: Long): Unit = {
      if (at + size == ends.length) {
        // Moved to the front, where half of the room is free there.
        val room = if (2 * at >= ends.length) ends.length else 2 * ends.length
        ends = Arrays.copyOf(Arrays.copyOfRange(ends, at, at + size), room)
        bytes = Arrays.copyOf(Arrays.copyOfRange(bytes, at, at + size), room)
        at = 0
      }
      ends(at + size) = end
      bytes(at + size) = taken
      size += 1
    }

    def dropFirst(): Unit = {
      at += 1
      size -= 1
      number += 1L
    }
  }
}
