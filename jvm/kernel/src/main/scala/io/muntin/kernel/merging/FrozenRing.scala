package io.muntin.kernel.merging

import java.io.{ByteArrayInputStream, DataInputStream}

import io.muntin.kernel.columns.IntRing
import io.muntin.kernel.memory.{ObjectPages, PageCache, SteppedMemory}

/**
 * Frozen partials by consecutive indices: new ones at the end, old ones dropped in front. Each one's
 * bytes are asked of `memory` before it is kept, and given back when it is dropped.
 *
 *     pages    3  4  5  6  7  8  9      of 16 partials
 *     memory   3        ·  ·  8  9      the oldest, the two newest, and what there is memory for
 *     disk        4  5  6  7            written once: partials do not change
 *
 * Where memory is short and the task has a disk, pages from between the ends go there, those first that
 * are newer and have not been looked at for a while, since the oldest are needed next. One that is looked at
 * comes back.
 *
 * Cost per partial: 10 bytes beside it; on disk 2. Guarded by FrozenRingSuite.
 */
private[kernel] final class FrozenRing[F <: AnyRef](memory: SteppedMemory, partials: Partials[F])
    extends ObjectPages[Array[AnyRef]](memory, FrozenRing.Ends, areWritten = false) {
  import FrozenRing._

  // By page, its number among the objects.
  private val numbers = new IntRing(memory)
  private var first = 0L
  private var last = 0L
  // The page that is appended to; none before there is one.
  private var newest = NoPage

  /** The index of the oldest that is kept. */
  def from: Long = first

  /** The index that the next append takes. */
  def until: Long = last

  def apply(index: Long): F =
    page(numbers(index >> Bits))(index.toInt & Within).asInstanceOf[F]

  def append(frozen: F): Unit = {
    if (newest != last >> Bits) open(last >> Bits)
    val number = numbers(newest)
    val size = partials.sizeOf(frozen)
    memory.acquire(size)
    page(number)(last.toInt & Within) = frozen
    grow(number, size)
    last += 1
  }

  /** Drops what lies before `index`; where nothing lies at it, the next append takes it. */
  def dropBefore(index: Long): Unit = {
    while (first < last && first < index) dropFirst()
    if (first < index) {
      if (newest != index >> Bits) dropNewest()
      first = index
      last = index
    }
  }

  /** Drops all; the next append takes index 0. */
  def clear(): Unit = {
    dropBefore(last)
    dropNewest()
    first = 0L
    last = 0L
  }

  private def dropFirst(): Unit = {
    val number = numbers(first >> Bits)
    if (isInMemory(number)) {
      val partial = page(number)(first.toInt & Within).asInstanceOf[F]
      val size = partials.sizeOf(partial)
      page(number)(first.toInt & Within) = null
      grow(number, -size)
      memory.release(size)
    }
    first += 1
    if ((first & Within) == 0L) {
      dropPage(number)
      if (newest < (first >> Bits)) newest = NoPage
    }
  }

  private def open(at: Long): Unit = {
    numbers.reserve(first >> Bits, at, at + 1L)
    numbers(at) = keep(new Array[AnyRef](PageSize), PageBytes)
    newest = at
  }

  private def dropNewest(): Unit = if (newest != NoPage) {
    dropPage(numbers(newest))
    newest = NoPage
  }

  override private[kernel] def isReadInOrder: Boolean = true

  // From the newest to the oldest of those between the ends. Of the last page partials are to come, or have just come.
  override protected def seats: Int = math.max(0L, (last >> Bits) - 2L - (first >> Bits)).toInt

  override protected def pageAt(seat: Int): Int =
    super.pageAt(numbers((last >> Bits) - 2L - seat))

  override private[kernel] def giveUp(): Boolean = {
    startOver()
    super.giveUp()
  }

  override protected def write(page: Array[AnyRef]): Array[Byte] =
    PageCache.written(64 * PageSize) { out =>
      page.foreach(frozen => partials.write(frozen.asInstanceOf[F], out))
    }

  override protected def read(bytes: Array[Byte]): Array[AnyRef] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Array.fill[AnyRef](PageSize)(partials.read(in))
  }

  def close(): Unit = {
    clear()
    numbers.close()
    closePages()
  }
}

private object FrozenRing {

  // As many as AlignedBlocks merges into one.
  private val Bits = 4
  private val PageSize = 1 << Bits
  private val Within = PageSize - 1

  /** The pages that stay: the oldest and the two newest. */
  private val Ends = 3

  private val PageBytes = 16L + 8L * PageSize
  private val NoPage = -1L
}
