package io.muntin.kernel.columns

import java.util

import io.muntin.kernel.memory.{Memory, Paged, Reserve}

/**
 * A long for each number from 0 on, in an array that doubles. If memory is short and the task has a
 * disk, the array is cut into blocks (LongBlocks), and blocks that have not been read recently are
 * spilled.
 *
 * Cost per access: an array access. If it is cut: a block access and, if the block is on disk, a
 * read and usually a write of 1 KiB. 8 bytes per number; in blocks, only a fraction of a byte stays
 * in memory. Guarded by LongsSuite.
 */
private[kernel] final class Longs(memory: Memory) extends Paged {
  import Longs._

  private val paging = memory.paging.orNull
  private val bits =
    if (paging == null) 0 else Integer.numberOfTrailingZeros(LongBlocks.scatteredSize(paging))
  private val within = (1 << bits) - 1
  // Empty if it is cut: then the JVM's check of array bounds, which runs anyway, fails.
  private var whole = new Array[Long](InitialCapacity)
  private var reserve: Reserve = null
  private var blocks: LongBlocks = null

  memory.acquire(8L * InitialCapacity)
  if (paging != null) paging.add(this)

  /** Returns true if the values are in blocks. Some blocks may be on disk. */
  def isCut: Boolean = whole.length == 0

  def apply(i: Int): Long =
    if (i < whole.length) whole(i) else blocks(i >> bits)(i & within)

  def update(i: Int, value: Long): Unit =
    if (i < whole.length) whole(i) = value else blocks(i >> bits)(i & within) = value

  /** Adds to the value at `i`, and returns the sum. */
  def add(i: Int, change: Long): Long =
    if (i < whole.length) {
      val sum = whole(i) + change
      whole(i) = sum
      sum
    } else {
      val block = blocks(i >> bits)
      val sum = block(i & within) + change
      block(i & within) = sum
      sum
    }

  /** Makes room for the value at `i`, which is undefined until it is written. */
  def makeRoom(i: Int): Unit = if (i >= whole.length) {
    if (!isCut) {
      if (paging != null && paging.isForced && canBeCut) cut()
      else grow(Integer.highestOneBit(i) * 2)
    }
    if (isCut) while (i >> bits >= blocks.size) open()
  }

  /** Forgets all values. If the array was cut, it is an array again. */
  def clear(): Unit = if (isCut) {
    blocks.clear()
    whole = new Array[Long](InitialCapacity)
  }

  /** Forgets all values, and shrinks the array. */
  def shrink(): Unit = {
    clear()
    if (whole.length > InitialCapacity) {
      memory.release(8L * (whole.length - InitialCapacity))
      whole = new Array[Long](InitialCapacity)
    }
  }

  private def grow(capacity: Int): Unit = {
    val isGranted = paging != null && paging.ask(memory, 8L * capacity)(!isCut)
    if (!isCut) {
      // No block is left to evict.
      if (!isGranted) memory.acquire(8L * capacity)
      memory.release(8L * whole.length)
      whole = util.Arrays.copyOf(whole, capacity)
    }
  }

  override private[kernel] def isReadInOrder: Boolean = false

  // If the array is cut, its blocks report their bytes themselves.
  override private[kernel] def spareBytes: Long = if (canBeCut) 4L * whole.length else 0L

  override private[kernel] def giveUp(): Boolean = canBeCut && {
    cut()
    true
  }

  private def canBeCut: Boolean = paging != null && !isCut &&
    4L * whole.length >= LongBlocks.fewestBytes(whole.length.toLong >> bits, 1 << bits)

  private def open(): Unit = {
    if (blocks.size == blocks.room) blocks.reserve(2 * blocks.room)
    blocks.open(blocks.size)
  }

  private def cut(): Unit = {
    if (blocks == null) {
      reserve = new Reserve(memory, () => blocks.giveUp())
      blocks = new LongBlocks(reserve, 1 << bits)
    }
    val all = whole
    whole = Empty
    val count = all.length >> bits
    // The blocks get half of the array's memory; a small array is kept for later.
    reserve.within(4L * all.length) {
      if (blocks.room < count) blocks.reserve(count)
      var b = 0
      while (b < count) {
        blocks.open(b)
        System.arraycopy(all, b << bits, blocks(b), 0, 1 << bits)
        b += 1
      }
    }
    memory.release(4L * all.length - 8L * InitialCapacity)
  }

  def close(): Unit = {
    memory.release(8L * (if (isCut) InitialCapacity else whole.length))
    if (blocks != null) blocks.close()
    whole = Empty
  }
}

private[kernel] object Longs {
  private val InitialCapacity = 64
  private val Empty = new Array[Long](0)
}
