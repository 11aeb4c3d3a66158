package io.muntin.kernel.columns

import java.nio.ByteBuffer
import java.util

import io.muntin.kernel.memory.{Memory, ObjectPages, PageCache, Paging}

/**
 * Arrays of `capacity` longs in an order, of which any may be taken out, and others be put between them. Each is a page
 * that goes to disk where memory is short.
 *
 * Cost per look: that of a page; where it is on disk, a read and most often a write. 29 bytes beside each
 * array. Guarded by SortedBlocksSuite.
 */
private[kernel] final class LongBlocks(memory: Memory, capacity: Int)
    extends ObjectPages[Array[Long]](memory, LongBlocks.Fewest, areWritten = true) {
  import LongBlocks._

  private val blockBytes = 8L * capacity
  // The numbers of the pages, in order.
  private var numbers = new Array[Int](0)
  private var used = 0
  private var held = PageCache.None

  // Emptied arrays that are kept for the next ones.
  private val spare = new Array[Array[Long]](Spares)
  private var spares = 0

  /** How many there are. */
  def size: Int = used

  /** The `b`-th, until the next look at another; two at a time by `hold`. */
  def apply(b: Int): Array[Long] = page(numbers(b))

  /** The `b`-th, which stays in memory while others are looked at, until another is held. */
  def hold(b: Int): Array[Long] = {
    val block = apply(b)
    held = numbers(b)
    block
  }

  /** Makes an array of anything the `b`-th. */
  def open(b: Int): Unit = {
    if (used == numbers.length) reserveOrder(math.max(InitialRoom, 2 * used))
    reserve()
    val number =
      if (spares > 0) {
        spares -= 1
        add(spare(spares), blockBytes)
      } else {
        acquire(blockBytes)
        add(new Array[Long](capacity), blockBytes)
      }
    held = PageCache.None
    System.arraycopy(numbers, b, numbers, b + 1, used - b)
    numbers(b) = number
    used += 1
  }

  /** Takes the `b`-th away. */
  def drop(b: Int): Unit = {
    held = PageCache.None
    keepSpare(take(numbers(b)))
    used -= 1
    System.arraycopy(numbers, b + 1, numbers, b, used - b)
  }

  def clear(): Unit = while (used > 0) drop(used - 1)

  /** Gives all memory back. */
  def close(): Unit = {
    clear()
    dropSpares(): Unit
    memory.release(OrderBytes * numbers.length)
    numbers = new Array[Int](0)
    closePages()
  }

  private def reserveOrder(room: Int): Unit = {
    memory.acquire(OrderBytes * room)
    memory.release(OrderBytes * numbers.length)
    numbers = util.Arrays.copyOf(numbers, room)
  }

  private def keepSpare(block: Array[Long]): Unit =
    if (block != null) {
      if (spares < Spares) {
        spare(spares) = block
        spares += 1
      } else memory.release(blockBytes)
    }

  override protected def pageAt(seat: Int): Int =
    if (seat == held) PageCache.None else super.pageAt(seat)

  override protected def write(block: Array[Long]): Array[Byte] = {
    val bytes = ByteBuffer.allocate(8 * capacity)
    bytes.asLongBuffer.put(block): Unit
    bytes.array
  }

  override protected def read(bytes: Array[Byte]): Array[Long] = {
    val block = new Array[Long](capacity)
    ByteBuffer.wrap(bytes).asLongBuffer.get(block): Unit
    block
  }

  override private[kernel] def isReadInOrder: Boolean = false

  override private[kernel] def spareBytes: Long = super.spareBytes + blockBytes * spares

  /** Gives back what is kept for others, and half of the arrays. */
  override private[kernel] def giveUp(): Boolean = dropSpares() | super.giveUp()

  private def dropSpares(): Boolean = {
    val before = spares
    memory.release(blockBytes * spares)
    util.Arrays.fill(spare.asInstanceOf[Array[AnyRef]], null)
    spares = 0
    before > 0
  }
}

private[kernel] object LongBlocks {

  /** So many stay in memory. */
  private val Fewest = 8

  private val Spares = 16
  private val InitialRoom = 8
  private val OrderBytes = 4L
  private[kernel] val DirectoryBytes = OrderBytes + ObjectPages.DirectoryBytes

  /** Longs in a block where they are looked at here and there, one at a time. */
  def scatteredSize(paging: Paging): Int =
    math.max(32, math.min(128, Integer.highestOneBit(paging.rows)))

  /** What so many take when all are on disk that may be, with room to bring one back. */
  def fewestBytes(count: Long, capacity: Int): Long =
    DirectoryBytes * count + 8L * capacity * (Fewest + 2)
}
