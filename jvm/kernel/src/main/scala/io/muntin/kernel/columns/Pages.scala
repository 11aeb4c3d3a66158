package io.muntin.kernel.columns

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util

import io.muntin.kernel.memory.Paging

/**
 * A column's positions in pages, if its array is too small for all of them. The array is divided
 * into frames; a table maps pages to frames. A required page replaces a page that was not read
 * recently, which is written to disk unless its copy on disk is current. The last page, which
 * receives new rows, stays.
 *
 *     pages    3  4  5  6  7  8  9      rows from page 3 on are needed, page 9 is the last page
 *     frames   3        ·  ·  8  9      the first reader is in 3, later in 4
 *     disk     3  4  5  6  7
 *
 * Rows that enter and leave in order are written to disk once, and read once for each reader that
 * is far from the others. A reader that jumps gets correct values, slowly. A page that is modified
 * after it was read back is written to disk again.
 *
 * Cost per access: one more load than without pages. The table takes 20 bytes per page. Guarded by
 * PagesSuite.
 */
private[kernel] final class Pages(
    column: Column,
    paging: Paging,
    pageRows: Int,
    capacity: Int,
    cursors: Int
) {
  import Pages._

  // One page for each reader, and the last page.
  private val fewest = math.min(capacity, Integer.highestOneBit(math.max(4, cursors + 1)) << 1)
  private val rows =
    math.max(1, math.min(Integer.highestOneBit(pageRows), capacity / (2 * fewest)))
  private val bits = Integer.numberOfTrailingZeros(rows)

  // For each frame: its page, and whether it has been accessed since the clock hand passed it.
  private var pageIn = new Array[Long](capacity >> bits)
  private var used = new Array[Boolean](capacity >> bits)
  private var hand = 0

  // For each page, from the first that is needed to the last: its frame, or NoFrame; its place on
  // disk, or Nowhere; the bytes of its values.
  private var frameOf = new Array[Int](InitialPages)
  private var placeOf = new Array[Long](InitialPages)
  private var weightOf = new Array[Long](InitialPages)
  private var mask = InitialPages - 1
  private var first = 0L
  private var next = 0L

  private var isBusy = false

  util.Arrays.fill(pageIn, Nowhere)

  def slot(position: Long): Int = {
    val page = position >> bits
    var frame = frameOf(page.toInt & mask)
    if (frame < 0) frame = bringIn(page)
    used(frame) = true
    (frame << bits) | (position.toInt & (rows - 1))
  }

  /** Returns the slot for a write, and invalidates the page's copy on disk. */
  def slotToWrite(position: Long): Int = {
    val found = slot(position)
    free(position >> bits)
    found
  }

  /** Returns the position after the last position of the page that contains `position`. */
  def endOfPage(position: Long): Long = ((position >> bits) + 1L) << bits

  /** Starts with a ring that holds the positions from `base` until `end`. */
  def takeOver(base: Long, end: Long): Unit = {
    first = base >> bits
    next = endOfPage(end - 1L) >> bits
    while (next - first > mask) widen()
    val ring = pageIn.length
    var page = first
    while (page < next) {
      val frame = page.toInt & (ring - 1)
      // The ring wraps around within a page: the page's slots before `base` have the newest rows.
      val isShared = page + ring < next
      setPlace(page, Nowhere)
      if (isShared) {
        write(page, frame)
        val offset = (base.toInt & (rows - 1))
        column.vacate((frame << bits) + offset, rows - offset)
        frameOf(page.toInt & mask) = NoFrame
      } else place(page, frame)
      page += 1
    }
  }

  /** Opens a page for the rows from `position` on, which follow the last page. */
  def open(position: Long): Unit = guarded {
    val page = position >> bits
    if (first == next) {
      first = page
      next = page
    }
    if (next - first > mask) widen()
    place(page, vacant())
    setPlace(page, Nowhere)
    next = page + 1L
  }

  /** Drops the rows before `floor`. */
  def dropBefore(floor: Long): Unit = {
    val page = floor >> bits
    while (first < page && first < next) {
      drop(first)
      first += 1L
    }
  }

  /** Spills one page. Returns true if one could be spilled. */
  def evictPage(): Boolean = guarded {
    val frame = leastUsed()
    if (frame >= 0) evict(frame)
    frame >= 0
  }

  def canShrink: Boolean = !isBusy && pageIn.length / 2 >= fewest

  /** Halves the number of frames. Returns the copy that keeps the remaining contents. */
  def shrink(): Column.ArrayCopy = guarded {
    val kept = pageIn.length / 2
    var inside = pageIn.count(_ != Nowhere)
    while (inside > kept) {
      evict(leastUsed())
      inside -= 1
    }
    val from = pageIn.indices.filter(pageIn(_) != Nowhere).toArray
    val pages = util.Arrays.copyOf(from.map(pageIn(_)), kept)
    util.Arrays.fill(pages, from.length, kept, Nowhere)
    pageIn = pages
    used = new Array[Boolean](kept)
    hand = 0
    from.indices.foreach(i => place(pages(i), i))
    (source: AnyRef, target: AnyRef) =>
      from.indices.foreach { i =>
        System.arraycopy(source, from(i) << bits, target, i << bits, rows)
      }
  }

  /** Drops all pages. */
  def close(): Unit = while (first < next) {
    free(first)
    first += 1L
  }

  private def bringIn(page: Long): Int = guarded {
    val frame = vacant()
    val weight = weightOf(page.toInt & mask)
    var isTaken = column.take(weight, insists = false)
    while (!isTaken) {
      val other = leastUsed()
      if (other >= 0) evict(other)
      isTaken = column.take(weight, insists = other < 0)
    }
    val bytes = new ByteArrayInputStream(paging.store.read(placeOf(page.toInt & mask)))
    column.readPage(frame << bits, rows, new DataInputStream(bytes))
    place(page, frame)
    frame
  }

  private def place(page: Long, frame: Int): Unit = {
    pageIn(frame) = page
    used(frame) = true
    frameOf(page.toInt & mask) = frame
  }

  private def setPlace(page: Long, place: Long): Unit = placeOf(page.toInt & mask) = place

  /** Returns a frame without a page. */
  private def vacant(): Int = {
    var frame = 0
    while (frame < pageIn.length && pageIn(frame) != Nowhere) frame += 1
    if (frame == pageIn.length) {
      frame = leastUsed()
      evict(frame)
    }
    frame
  }

  /**
   * Returns the frame of a page, except the last page, that was not read recently; -1 if there is
   * not one.
   */
  private def leastUsed(): Int = {
    var found = -1
    var steps = 0
    while (found < 0 && steps < 2 * pageIn.length + 1) {
      val page = pageIn(hand)
      if (page != Nowhere && page != next - 1L) {
        if (used(hand)) used(hand) = false else found = hand
      }
      hand = if (hand + 1 == pageIn.length) 0 else hand + 1
      steps += 1
    }
    found
  }

  private def evict(frame: Int): Unit = {
    val page = pageIn(frame)
    if (placeOf(page.toInt & mask) == Nowhere) write(page, frame)
    column.vacate(frame << bits, rows)
    frameOf(page.toInt & mask) = NoFrame
    pageIn(frame) = Nowhere
  }

  private def write(page: Long, frame: Int): Unit = {
    val bytes = new ByteArrayOutputStream(10 * rows)
    column.writePage(frame << bits, rows, new DataOutputStream(bytes))
    val weight = column.weigh(frame << bits, rows)
    setPlace(page, paging.store.write(bytes.toByteArray, weight + column.bytesOf(rows)))
    weightOf(page.toInt & mask) = weight
  }

  private def drop(page: Long): Unit = {
    val frame = frameOf(page.toInt & mask)
    if (frame >= 0) {
      column.vacate(frame << bits, rows)
      pageIn(frame) = Nowhere
    }
    free(page)
  }

  private def free(page: Long): Unit = {
    val place = placeOf(page.toInt & mask)
    if (place != Nowhere) paging.store.free(place)
    setPlace(page, Nowhere)
  }

  private def widen(): Unit = {
    val length = 2 * (mask + 1)
    val move = new Column.RingCopy(first, next, mask, length - 1)
    def wider[A <: AnyRef](from: A, to: A): A = {
      move(from, to)
      to
    }
    frameOf = wider(frameOf, new Array[Int](length))
    placeOf = wider(placeOf, new Array[Long](length))
    weightOf = wider(weightOf, new Array[Long](length))
    mask = length - 1
  }

  // Requests for memory in the body must not take it from this column.
  private def guarded[A](body: => A): A = {
    isBusy = true
    try body
    finally isBusy = false
  }
}

private object Pages {
  private val InitialPages = 64
  private val NoFrame = -1
  private val Nowhere = -1L
}
