package io.muntin.kernel.merging

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util

import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.{Paged, SteppedMemory}

/**
 * Frozen partials with consecutive indices: appended at the end, dropped at the front. The bytes of
 * a partial are acquired before it is stored, and released when it is dropped.
 *
 *     pages    3  4  5  6  7  8  9      of 16 partials
 *     memory   3        ·  ·  8  9      the oldest, the two newest, and others if there is memory
 *     disk        4  5  6  7            written once: partials do not change
 *
 * If memory is short and the task has a disk, pages between the ends are spilled: first newer pages
 * that have not been read recently, since the oldest are needed next. A page is read back when it
 * is needed.
 *
 * Cost per partial: 10 bytes in addition to it; if it is on disk, 2. Guarded by FrozenRingSuite.
 */
private[kernel] final class FrozenRing[F <: AnyRef](memory: SteppedMemory, partials: Partials[F])
    extends Paged {
  import FrozenRing._

  private val paging = memory.paging.orNull

  // For each page: its partials, null if they are on disk; their place on disk; the bytes of the
  // partials not dropped; whether it was read since pages were last evicted.
  private var pages = new Array[Array[AnyRef]](InitialPages)
  private var places = new Array[Long](InitialPages)
  private var weights = new Array[Long](InitialPages)
  private var marks = new Array[Boolean](InitialPages)
  private var mask = InitialPages - 1
  private var first = 0L
  private var last = 0L

  util.Arrays.fill(places, Nowhere)
  memory.acquire(DirectoryBytes * InitialPages)
  if (paging != null) paging.add(this)

  /** The index of the oldest partial. */
  def from: Long = first

  /** The index of the next append. */
  def until: Long = last

  def apply(index: Long): F = {
    val slot = slotOf(index >> Bits)
    if (pages(slot) == null) bringBack(index >> Bits)
    marks(slot) = true
    pages(slot)(index.toInt & Within).asInstanceOf[F]
  }

  def append(frozen: F): Unit = {
    val page = last >> Bits
    if (page - (first >> Bits) > mask) widen()
    val slot = slotOf(page)
    if (pages(slot) == null) open(slot)
    val size = partials.sizeOf(frozen)
    memory.acquire(size)
    pages(slot)(last.toInt & Within) = frozen
    weights(slot) += size
    last += 1
  }

  /**
   * Drops all partials before `index`. If there is none at `index`, the next append gets this
   * index.
   */
  def dropBefore(index: Long): Unit = {
    while (first < last && first < index) dropFirst()
    if (first < index) {
      if (first >> Bits != index >> Bits) close(slotOf(first >> Bits))
      first = index
      last = index
    }
  }

  /** Drops all partials. The next append gets index 0. */
  def clear(): Unit = {
    dropBefore(last)
    close(slotOf(first >> Bits))
    first = 0L
    last = 0L
  }

  private def slotOf(page: Long): Int = page.toInt & mask

  private def dropFirst(): Unit = {
    val slot = slotOf(first >> Bits)
    val page = pages(slot)
    if (page != null) {
      val at = first.toInt & Within
      val size = partials.sizeOf(page(at).asInstanceOf[F])
      page(at) = null
      weights(slot) -= size
      memory.release(size)
    }
    first += 1
    if ((first & Within) == 0L) close(slot)
  }

  private def open(slot: Int): Unit = {
    if (paging != null && paging.isForced) giveUp(): Unit
    memory.acquire(PageBytes)
    pages(slot) = new Array[AnyRef](PageSize)
    weights(slot) = 0L
    marks(slot) = true
  }

  /** Releases the page, whose partials are no longer needed. */
  private def close(slot: Int): Unit = {
    if (pages(slot) != null) {
      pages(slot) = null
      memory.release(PageBytes)
    }
    if (places(slot) != Nowhere) {
      paging.store.free(places(slot))
      places(slot) = Nowhere
    }
  }

  private def bringBack(page: Long): Unit = {
    val slot = slotOf(page)
    memory.acquire(weights(slot) + PageBytes)
    val in = new DataInputStream(new ByteArrayInputStream(paging.store.read(places(slot))))
    val read = new Array[AnyRef](PageSize)
    var weight = 0L
    var i = 0
    while (i < PageSize) {
      if (in.readBoolean()) {
        val frozen = partials.read(in)
        // Otherwise the partial has been dropped meanwhile.
        if ((page << Bits) + i >= first) {
          read(i) = frozen
          weight += partials.sizeOf(frozen)
        }
      }
      i += 1
    }
    val dropped = weights(slot) - weight
    weights(slot) = weight
    pages(slot) = read
    memory.release(dropped)
  }

  private def spill(slot: Int): Unit = {
    val bytes = weights(slot) + PageBytes
    if (places(slot) == Nowhere) {
      val buffer = new ByteArrayOutputStream
      val out = new DataOutputStream(buffer)
      pages(slot).foreach { frozen =>
        out.writeBoolean(frozen != null)
        if (frozen != null) partials.write(frozen.asInstanceOf[F], out)
      }
      places(slot) = paging.store.write(buffer.toByteArray, bytes)
    }
    pages(slot) = null
    memory.release(bytes)
  }

  override private[kernel] def isReadInOrder: Boolean = true

  override private[kernel] def spareBytes: Long = {
    var bytes = 0L
    if (paging != null) {
      var page = oldestSpare
      while (page < endOfSpare) {
        if (pages(slotOf(page)) != null) bytes += weights(slotOf(page)) + PageBytes
        page += 1
      }
    }
    (bytes + 1) / 2
  }

  override private[kernel] def giveUp(): Boolean = {
    val bytesToFree = spareBytes
    val freed = spill(bytesToFree, unmarked = true)
    val all =
      if (freed < bytesToFree) freed + spill(bytesToFree - freed, unmarked = false) else freed
    memory.trim()
    all > 0L
  }

  private def spill(bytesToFree: Long, unmarked: Boolean): Long = {
    var freed = 0L
    var page = endOfSpare - 1L
    while (page >= oldestSpare && freed < bytesToFree) {
      val slot = slotOf(page)
      if (pages(slot) != null) {
        if (unmarked && marks(slot)) marks(slot) = false
        else {
          freed += weights(slot) + PageBytes
          spill(slot)
        }
      }
      page -= 1
    }
    freed
  }

  private def oldestSpare: Long = (first >> Bits) + 1L

  // The last pages stay in memory: partials will be, or have just been, appended to them.
  private def endOfSpare: Long = (last >> Bits) - 1L

  private def widen(): Unit = {
    val length = 2 * (mask + 1)
    memory.acquire(DirectoryBytes * length)
    val move = new Column.RingCopy(first >> Bits, last >> Bits, mask, length - 1)
    def wider[A <: AnyRef](from: A, to: A): A = {
      move(from, to)
      to
    }
    pages = wider(pages, new Array[Array[AnyRef]](length))
    val nowhere = new Array[Long](length)
    util.Arrays.fill(nowhere, Nowhere)
    places = wider(places, nowhere)
    weights = wider(weights, new Array[Long](length))
    marks = wider(marks, new Array[Boolean](length))
    memory.release(DirectoryBytes * (mask + 1))
    mask = length - 1
  }

  def close(): Unit = {
    clear()
    memory.release(DirectoryBytes * (mask + 1))
  }
}

private object FrozenRing {
  private val InitialPages = 4

  // AlignedBlocks merges this number of partials into one.
  private val Bits = 4
  private val PageSize = 1 << Bits
  private val Within = PageSize - 1

  private val DirectoryBytes = 25L
  private val PageBytes = 16L + 8L * PageSize
  private val Nowhere = -1L
}
