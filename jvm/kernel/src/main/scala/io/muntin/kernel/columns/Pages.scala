package io.muntin.kernel.columns

import java.io.{ByteArrayInputStream, DataInputStream}
import java.util

import io.muntin.kernel.memory.{PageCache, Paging}

/**
 * A column's positions in pages, where its array is not large enough for all of them. The array is as many
 * frames as there is room for pages; a table says which page is in which frame. A page that is needed comes
 * into the frame of one that nobody has looked at for a while, which goes to disk if it has not been there yet. The last
 * page, to which rows are appended, stays.
 *
 *     pages    3  4  5  6  7  8  9      needed are the rows from page 3 on, page 9 is written to
 *     frames   3        ·  ·  8  9      whoever reads at the front has 3, later 4
 *     disk     3  4  5  6  7
 *
 * Rows that come and go in order are so written once, and read once by everyone who passes over them
 * alone; who jumps gets the right values, slowly. A page that has been written to goes out once more.
 *
 * Cost per look: one load more than without. The table has 20 bytes for a page. Guarded by PagesSuite.
 */
private[kernel] final class Pages(
    column: Column,
    paging: Paging,
    pageRows: Int,
    capacity: Int,
    cursors: Int
) extends PageCache(paging, Pages.InitialPages) {
  import PageCache.None
  import Pages._

  // Everyone who goes along the rows by himself has a page, and the last one is written to.
  private val fewest = math.min(capacity, Integer.highestOneBit(math.max(4, cursors + 1)) << 1)
  private val rows =
    math.max(1, math.min(Integer.highestOneBit(pageRows), capacity / (2 * fewest)))
  private val bits = Integer.numberOfTrailingZeros(rows)

  // By frame the page in it, or none.
  private var pageIn = new Array[Long](capacity >> bits)

  // By page, from the first that is needed until the next that is opened: its frame, or none. In the cache a page's
  // number is where it is in this table; weights are those of its values beside their slots.
  private var frameOf = new Array[Int](InitialPages)
  private var mask = InitialPages - 1
  private var first = 0L
  private var next = 0L

  private var isBusy = false

  util.Arrays.fill(pageIn, NoPage)

  def slot(position: Long): Int = {
    val page = numberOf(position >> bits)
    var frame = frameOf(page)
    if (frame < 0) frame = bringIn(position >> bits)
    marks(page) = true
    (frame << bits) | (position.toInt & (rows - 1))
  }

  /** The same, for who writes there: what is on disk of it does not hold any more. */
  def slotToWrite(position: Long): Int = {
    val found = slot(position)
    free(numberOf(position >> bits))
    found
  }

  /** The position after the last of the page that `position` is in. */
  def endOfPage(position: Long): Long = ((position >> bits) + 1L) << bits

  /** Begins with a ring that holds the positions from `base` until `end`. */
  def takeOver(base: Long, end: Long): Unit = {
    first = base >> bits
    next = endOfPage(end - 1L) >> bits
    while (next - first > mask) widen()
    val ring = pageIn.length
    var page = first
    while (page < next) {
      val frame = page.toInt & (ring - 1)
      // The ring has come round within a page: its front is where the newest rows are.
      val isShared = page + ring < next
      settle(page, frame)
      if (isShared) {
        save(numberOf(page))
        val behind = (base.toInt & (rows - 1))
        column.vacate((frame << bits) + behind, rows - behind)
        frameOf(numberOf(page)) = NoFrame
      }
      page += 1
    }
  }

  /** A page for the rows from `position` on, which follow the last one. */
  def open(position: Long): Unit = guarded {
    val page = position >> bits
    if (first == next) {
      first = page
      next = page
    }
    if (next - first > mask) widen()
    settle(page, vacant())
    next = page + 1L
  }

  /** The rows before `floor` are needed no more. */
  def dropBefore(floor: Long): Unit = {
    val page = floor >> bits
    while (first < page && first < next) {
      drop(first)
      first += 1L
    }
  }

  /** Makes a page go to disk; whether there was one that could. */
  def putOut(): Boolean = guarded {
    val page = leastUsed()
    if (page != None) putOut(page)
    page != None
  }

  def canShrink: Boolean = !isBusy && pageIn.length / 2 >= fewest

  /** Does with half of the frames: which of the array's contents are to stay, and where. */
  def shrink(): Column.Move = guarded {
    val kept = pageIn.length / 2
    var inside = pageIn.count(_ != NoPage)
    while (inside > kept) {
      putOut(leastUsed())
      inside -= 1
    }
    val from = pageIn.indices.filter(pageIn(_) != NoPage).toArray
    val pages = util.Arrays.copyOf(from.map(pageIn(_)), kept)
    util.Arrays.fill(pages, from.length, kept, NoPage)
    pageIn = pages
    startOver()
    from.indices.foreach(i => settle(pages(i), i))
    (source: AnyRef, target: AnyRef) =>
      from.indices.foreach { i =>
        System.arraycopy(source, from(i) << bits, target, i << bits, rows)
      }
  }

  /** Nothing is needed any more. */
  def close(): Unit = while (first < next) {
    free(numberOf(first))
    first += 1L
  }

  private def bringIn(page: Long): Int = guarded {
    val frame = vacant()
    val weight = weights(numberOf(page))
    var isTaken = column.take(weight, insists = false)
    while (!isTaken) {
      val other = leastUsed()
      if (other != None) putOut(other)
      isTaken = column.take(weight, insists = other == None)
    }
    frameOf(numberOf(page)) = frame
    bringBack(numberOf(page))
    settle(page, frame)
    frame
  }

  private def settle(page: Long, frame: Int): Unit = {
    pageIn(frame) = page
    frameOf(numberOf(page)) = frame
    marks(numberOf(page)) = true
  }

  private def numberOf(page: Long): Int = page.toInt & mask

  /** A frame that no page is in. */
  private def vacant(): Int = {
    var frame = 0
    while (frame < pageIn.length && pageIn(frame) != NoPage) frame += 1
    if (frame == pageIn.length) {
      val page = leastUsed()
      frame = frameOf(page)
      putOut(page)
    }
    frame
  }

  override protected def seats: Int = pageIn.length

  // The last page stays.
  override protected def pageAt(frame: Int): Int = {
    val page = pageIn(frame)
    if (page == NoPage || page == next - 1L) None else numberOf(page)
  }

  override protected def bytesOf(page: Int): Long = weights(page) + column.bytesOf(rows)

  override protected def toBytes(page: Int): Array[Byte] = {
    val from = frameOf(page) << bits
    weights(page) = column.weigh(from, rows)
    PageCache.written(10 * rows)(column.writePage(from, rows, _))
  }

  override protected def fromBytes(page: Int, bytes: Array[Byte]): Unit = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    column.readPage(frameOf(page) << bits, rows, in)
  }

  override protected def vacate(page: Int): Unit = {
    val frame = frameOf(page)
    column.vacate(frame << bits, rows)
    frameOf(page) = NoFrame
    pageIn(frame) = NoPage
  }

  private def drop(page: Long): Unit = {
    if (frameOf(numberOf(page)) >= 0) vacate(numberOf(page))
    free(numberOf(page))
  }

  private def widen(): Unit = {
    val length = 2 * (mask + 1)
    val move = new Column.Turn(first, next, mask, length - 1)
    val wider = new Array[Int](length)
    move(frameOf, wider)
    frameOf = wider
    resizeTables(length)(move(_, _))
    mask = length - 1
  }

  // Memory that is asked for meanwhile must not be taken from this column.
  private def guarded[A](body: => A): A = {
    isBusy = true
    try body
    finally isBusy = false
  }
}

private object Pages {
  private val InitialPages = 64
  private val NoFrame = -1
  private val NoPage = -1L
}
