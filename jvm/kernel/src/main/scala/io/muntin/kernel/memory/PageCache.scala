package io.muntin.kernel.memory

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.util

/**
 * Pages of which some are in memory and the others on disk. A subclass has what is in the pages, in the form in which
 * it is read fastest; the cache knows where on disk a page lies, and which page goes out next. A hand goes round over
 * the seats in memory: it takes away the mark of a page that has been looked at since the hand came by, and
 * stops at a page without a mark.
 *
 *     page      0  1  2  3  4  5
 *     memory    0  ·  2  ·  4  5     page 2 has come back: it goes out again without being written
 *     disk      ·  1  2  3  ·  ·     page 4 has come back, and has been written to (`free`)
 *
 * Cost per look: a mark, which the subclass sets. 17 bytes per page. Source: the clock of Corbató's paging experiment
 * with Multics (1968). Guarded by PagesSuite, SortedBlocksSuite, FrozenRingSuite and AlignedTreeSuite.
 */
private[kernel] abstract class PageCache(paging: Paging, initialPages: Int) {
  import PageCache._

  // By page: where it is on disk, or nowhere; the bytes of what is in it; whether it has been looked at.
  private var places = nowhere(initialPages)
  protected final var weights: Array[Long] = new Array[Long](initialPages)
  protected final var marks: Array[Boolean] = new Array[Boolean](initialPages)
  private var hand = -1

  /** How many pages there is room for in memory. */
  protected def seats: Int

  /** The page in a seat; None where there is no page, or one that stays. */
  protected def pageAt(seat: Int): Int

  /** What goes to disk of a page in memory. */
  protected def toBytes(page: Int): Array[Byte]

  /** Makes of it what is in the page again. */
  protected def fromBytes(page: Int, bytes: Array[Byte]): Unit

  /** Lets go of what is in a page, which is on disk. */
  protected def vacate(page: Int): Unit

  /** The bytes that a page takes in memory. */
  protected def bytesOf(page: Int): Long = weights(page)

  /** A page that nobody has looked at for a while; None where all stay. */
  protected final def leastUsed(): Int = {
    var found = None
    var steps = 2 * seats + 1
    while (found == None && steps > 0) {
      hand = if (hand + 1 < seats) hand + 1 else 0
      val page = if (seats == 0) None else pageAt(hand)
      if (page != None) { if (marks(page)) marks(page) = false else found = page }
      steps -= 1
    }
    found
  }

  /** The hand comes by the first seat next. */
  protected final def startOver(): Unit = hand = -1

  protected final def putOut(page: Int): Unit = {
    save(page)
    vacate(page)
  }

  /** After this the page is on disk, and in memory as before. */
  protected final def save(page: Int): Unit = if (places(page) == Nowhere) {
    val bytes = toBytes(page)
    places(page) = paging.store.write(bytes, bytesOf(page))
  }

  protected final def bringBack(page: Int): Unit =
    fromBytes(page, paging.store.read(places(page)))

  /** What is on disk of the page is not needed any more, or does not hold. */
  protected final def free(page: Int): Unit = if (places(page) != Nowhere) {
    paging.store.free(places(page))
    places(page) = Nowhere
  }

  /** Makes tables of another length, into which `move` carries what is in the old ones. */
  protected final def resizeTables(length: Int)(move: (AnyRef, AnyRef) => Unit): Unit = {
    def moved[A <: AnyRef](from: A, to: A): A = {
      move(from, to)
      to
    }
    places = moved(places, nowhere(length))
    weights = moved(weights, new Array[Long](length))
    marks = moved(marks, new Array[Boolean](length))
  }
}

private[kernel] object PageCache {
  val None: Int = -1
  private val Nowhere = -1L

  private def nowhere(length: Int): Array[Long] = {
    val places = new Array[Long](length)
    util.Arrays.fill(places, Nowhere)
    places
  }

  /** What `write` writes. */
  def written(size: Int)(write: DataOutputStream => Unit): Array[Byte] = {
    val bytes = new ByteArrayOutputStream(size)
    write(new DataOutputStream(bytes))
    bytes.toByteArray
  }
}
