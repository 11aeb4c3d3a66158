package io.muntin.kernel.columns

import java.nio.ByteBuffer
import java.util

import io.muntin.kernel.memory.{Memory, Paged, Paging}

/**
 * A list of blocks, each an array of `capacity` longs. Blocks may be inserted and removed at any
 * index. If memory is short and the task has a disk, blocks that have not been read recently are
 * evicted to disk. The next read brings a block back, and evicts another block if there is still
 * not enough memory.
 *
 * Cost per access: a null check. If some blocks are on disk, also a mark, and for an evicted block
 * a read and usually a write. 17 bytes for each array. Guarded by SortedBlocksSuite.
 */
private[kernel] final class LongBlocks(memory: Memory, capacity: Int) extends Paged {
  import LongBlocks._

  private val blockBytes = 8L * capacity
  private val paging = memory.paging.orNull

  private var blocks = new Array[Array[Long]](0)
  // The places of evicted blocks, and which of the other blocks have been accessed since the clock
  // hand passed them.
  private var places = new Array[Long](0)
  private var marks = new Array[Boolean](0)
  private var used = 0
  private var away = 0
  private var hand = 0
  private var held = -1

  // Unused arrays, for new blocks.
  private val spare = new Array[Array[Long]](Spares)
  private var spares = 0

  if (paging != null) paging.add(this)

  /** Returns the number of blocks. */
  def size: Int = used

  /** Returns the number of blocks that fit without `reserve`. */
  def room: Int = blocks.length

  /** Returns block `b`; valid until the next access. To use two blocks, `hold` one. */
  def apply(b: Int): Array[Long] = {
    val block = blocks(b)
    if (away == 0) block
    else {
      marks(b) = true
      if (block == null) bringBack(b) else block
    }
  }

  /** Returns block `b`, which stays in memory until another block is held. */
  def hold(b: Int): Array[Long] = {
    val block = apply(b)
    held = b
    block
  }

  /** Makes room for `n` blocks. */
  def reserve(room: Int): Unit = {
    memory.acquire(DirectoryBytes * room)
    memory.release(DirectoryBytes * blocks.length)
    blocks = util.Arrays.copyOf(blocks, room)
    places = util.Arrays.copyOf(places, room)
    marks = util.Arrays.copyOf(marks, room)
  }

  /** Inserts an array with undefined contents as block `b`. */
  def open(b: Int): Unit = {
    val block = take()
    held = -1
    System.arraycopy(blocks, b, blocks, b + 1, used - b)
    System.arraycopy(places, b, places, b + 1, used - b)
    System.arraycopy(marks, b, marks, b + 1, used - b)
    blocks(b) = block
    marks(b) = true
    used += 1
  }

  /** Removes block `b`. */
  def drop(b: Int): Unit = {
    held = -1
    giveBack(b)
    used -= 1
    System.arraycopy(blocks, b + 1, blocks, b, used - b)
    System.arraycopy(places, b + 1, places, b, used - b)
    System.arraycopy(marks, b + 1, marks, b, used - b)
    blocks(used) = null
  }

  def clear(): Unit = {
    held = -1
    while (used > 0) {
      used -= 1
      giveBack(used)
      blocks(used) = null
    }
  }

  /** Releases all memory. */
  def close(): Unit = {
    clear()
    memory.release(blockBytes * spares + DirectoryBytes * blocks.length)
    spares = 0
    blocks = new Array[Array[Long]](0)
  }

  override private[kernel] def isReadInOrder: Boolean = false

  override private[kernel] def spareBytes: Long =
    blockBytes * (spares + math.max(0, (used - away - Fewest) / 2))

  /** Releases the unused arrays, and half of the others. */
  override private[kernel] def giveUp(): Boolean = {
    val before = spares
    memory.release(blockBytes * spares)
    spares = 0
    val kept = math.max(Fewest, (used - away) / 2)
    val isMore = used - away > kept
    while (used - away > kept) {
      spill(): Unit
      memory.release(blockBytes)
    }
    before > 0 || isMore
  }

  private def bringBack(b: Int): Array[Long] = {
    val block =
      if (spares > 0 || used - away < Fewest) take()
      else if (!paging.isForced && memory.tryAcquire(blockBytes)) new Array[Long](capacity)
      else spill()
    ByteBuffer.wrap(paging.store.read(places(b))).asLongBuffer.get(block): Unit
    paging.store.free(places(b))
    blocks(b) = block
    away -= 1
    block
  }

  /** Evicts a block that has not been accessed recently. Returns its array. */
  private def spill(): Array[Long] = {
    hand = if (hand + 1 < used) hand + 1 else 0
    while (blocks(hand) == null || marks(hand) || hand == held) {
      marks(hand) = false
      hand = if (hand + 1 < used) hand + 1 else 0
    }
    val block = blocks(hand)
    val bytes = ByteBuffer.allocate(8 * capacity)
    bytes.asLongBuffer.put(block): Unit
    places(hand) = paging.store.write(bytes.array, blockBytes)
    blocks(hand) = null
    away += 1
    block
  }

  private def take(): Array[Long] =
    if (spares > 0) {
      spares -= 1
      spare(spares)
    } else if (paging != null && paging.isForced && used - away > Fewest) spill()
    else {
      memory.acquire(blockBytes)
      new Array[Long](capacity)
    }

  private def giveBack(b: Int): Unit = {
    val block = blocks(b)
    if (block == null) {
      paging.store.free(places(b))
      away -= 1
    } else if (spares < Spares) {
      spare(spares) = block
      spares += 1
    } else memory.release(blockBytes)
  }
}

private[kernel] object LongBlocks {

  /** The number of blocks that stay in memory. */
  private val Fewest = 8

  private val Spares = 16
  private[kernel] val DirectoryBytes = 17L

  /** Returns the size of a block whose longs are accessed randomly. */
  def scatteredSize(paging: Paging): Int =
    math.max(32, math.min(128, Integer.highestOneBit(paging.rows)))

  /**
   * Returns the bytes that `n` blocks take if all evictable blocks are on disk, with room to bring
   * one back.
   */
  def fewestBytes(count: Long, capacity: Int): Long =
    DirectoryBytes * count + 8L * capacity * (Fewest + 2)
}
