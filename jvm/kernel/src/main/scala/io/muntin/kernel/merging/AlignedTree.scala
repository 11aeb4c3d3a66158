package io.muntin.kernel.merging

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Links, Slots}
import io.muntin.kernel.memory.{Memory, Paged, SteppedMemory}

/**
 * Computes an aggregate with merge but without retraction if rows leave in any order: a binary tree
 * over the row numbers. Only the parts that contain rows exist.
 *
 *     numbers   0…15 16…31 | 32…47   (none)   blocks of 16 rows, folded in order
 *                  \  /        |              each pair, and each pair of pairs, merged
 *
 * A leaf is an aligned block of `fanOut` numbers. An inner node exists if both of its halves
 * contain rows, and merges them. So the merges depend only on the numbers of the present rows, not
 * on rows that have left. If there are at most `fanOut` rows, they are folded directly.
 *
 * A row that enters or leaves invalidates the nodes above it, which are recomputed when a result is
 * read. New rows are at the right edge. An empty block is removed with its parent.
 *
 * If memory is short and the task has a disk, partials that have not been read recently are
 * spilled, one by one.
 *
 * Cost per result after k changes over n rows: at most k blocks of updates and k log2(n / fanOut)
 * merges. A frozen partial for each node, less than two nodes for each block that contains rows; 12
 * bytes per slot and 33 per node. Source: PATRICIA (Morrison, 1968) over Tangwongsan, Hirzel,
 * Schneider and Wu, "General Incremental Sliding-Window Aggregation" (VLDB 2015). Guarded by
 * AlignedTreeSuite.
 */
final class AlignedTree[F <: AnyRef](
    memory: Memory,
    partials: Partials[F],
    slots: Slots,
    fanOut: Int = AlignedBlocks.FanOut
) extends FrameFold
    with Paged {
  import AlignedTree._

  require(Integer.bitCount(fanOut) == 1, "blocks are aligned to bits")

  private val paging = memory.paging.orNull
  private val stepped = new SteppedMemory(memory)
  private val blockBits = Integer.numberOfTrailingZeros(fanOut)
  // The rows, in the order of their numbers.
  private val rows = new Links(memory)
  private var leaves = new Array[Int](InitialCapacity)
  private var firstRow = Links.None
  private var lastRow = Links.None
  private var count = 0
  // For each node, its halves; for a leaf, its first row and its number of rows.
  private var left = new Array[Int](InitialCapacity)
  private var right = new Array[Int](InitialCapacity)
  private var parents = new Array[Int](InitialCapacity)
  // The highest bit in which the block numbers of the halves differ; -1 in a leaf.
  private var levels = new Array[Int](InitialCapacity)
  // Null if it is stale; then all nodes above it are stale, too. OnDisk if it is spilled.
  private var frozen = new Array[AnyRef](InitialCapacity)
  // The place on disk, if it was ever spilled; whether it was accessed since the clock hand passed
  // it.
  private var places = new Array[Long](InitialCapacity)
  private var marks = new Array[Boolean](InitialCapacity)
  private var hand = 0
  // The number of partials in memory, and their bytes.
  private var inMemory = 0
  private var held = 0L
  private var unused = None
  private var made = 0
  private var root = None
  private var rightmost = None

  util.Arrays.fill(places, Nowhere)
  memory.acquire(4L * InitialCapacity + BytesPerNode * InitialCapacity)
  if (paging != null) paging.add(this)

  override def anyOrder: Boolean = true

  override def clear(): Unit = {
    var node = 0
    while (node < made) {
      drop(node)
      node += 1
    }
    made = 0
    unused = None
    root = None
    rightmost = None
    firstRow = Links.None
    lastRow = Links.None
    count = 0
    rows.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      add(p.toInt)
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      remove(p.toInt)
      p += 1
    }
  }

  override def refresh(): Unit =
    if (count <= fanOut) {
      partials.zero()
      update(firstRow, count)
    } else if (frozen(root) != null) partials.thaw(at(root))
    else takeUp(root)

  private def add(slot: Int): Unit = {
    rows.reserve(slot)
    reserveLeaf(slot)
    // For a block and its parent.
    reserveNodes()
    val block = blockOf(slot)
    if (rightmost == None || blockOf(left(rightmost)) != block) addBlock(block, slot)
    else {
      right(rightmost) += 1
      makeStale(rightmost)
    }
    leaves(slot) = rightmost
    rows.append(slot, lastRow)
    if (firstRow == Links.None) firstRow = slot
    lastRow = slot
    count += 1
  }

  private def addBlock(block: Long, slot: Int): Unit = {
    val leaf = take()
    left(leaf) = slot
    right(leaf) = 1
    levels(leaf) = Leaf
    parents(leaf) = None
    if (root == None) root = leaf
    else {
      val level =
        63 - java.lang.Long.numberOfLeadingZeros(block ^ blockOf(left(rightmost)))
      var before = rightmost
      while (parents(before) != None && levels(parents(before)) < level) before = parents(before)
      val inner = take()
      levels(inner) = level
      replace(before, inner)
      setHalves(inner, before, leaf)
      makeStale(parents(inner))
    }
    rightmost = leaf
  }

  private def remove(slot: Int): Unit = {
    val leaf = leaves(slot)
    right(leaf) -= 1
    if (right(leaf) == 0) removeBlock(leaf)
    else {
      if (left(leaf) == slot) left(leaf) = rows.after(slot)
      makeStale(leaf)
    }
    if (slot == firstRow) firstRow = rows.after(slot)
    if (slot == lastRow) lastRow = rows.before(slot)
    rows.remove(slot)
    count -= 1
  }

  private def removeBlock(leaf: Int): Unit = {
    val inner = parents(leaf)
    if (inner == None) {
      root = None
      rightmost = None
    } else {
      val other = if (left(inner) == leaf) right(inner) else left(inner)
      replace(inner, other)
      makeStale(parents(other))
      if (rightmost == leaf) {
        rightmost = other
        while (levels(rightmost) != Leaf) rightmost = right(rightmost)
      }
      give(inner)
    }
    give(leaf)
  }

  /** Replaces `node` by `by` in its parent. */
  private def replace(node: Int, by: Int): Unit = {
    val parent = parents(node)
    parents(by) = parent
    if (parent == None) root = by
    else if (left(parent) == node) left(parent) = by
    else right(parent) = by
  }

  private def setHalves(inner: Int, older: Int, newer: Int): Unit = {
    left(inner) = older
    right(inner) = newer
    parents(older) = inner
    parents(newer) = inner
  }

  private def makeStale(from: Int): Unit = {
    var node = from
    while (node != None && frozen(node) != null) {
      drop(node)
      node = parents(node)
    }
  }

  private def make(node: Int): Unit = if (frozen(node) == null) {
    takeUp(node)
    keep(node, partials.freeze())
  }

  private def keep(node: Int, partial: F): Unit = {
    if (paging != null && paging.isForced && inMemory > Fewest) giveUp(): Unit
    val size = partials.sizeOf(partial)
    stepped.acquire(size)
    frozen(node) = partial
    marks(node) = true
    inMemory += 1
    held += size
  }

  private def takeUp(node: Int): Unit =
    if (levels(node) == Leaf) {
      partials.zero()
      update(left(node), right(node))
    } else {
      make(left(node))
      make(right(node))
      partials.thaw(at(left(node)))
      partials.merge(at(right(node)))
    }

  private def update(first: Int, size: Int): Unit = {
    var slot = first
    var i = 0
    while (i < size) {
      partials.update(slot.toLong)
      slot = rows.after(slot)
      i += 1
    }
  }

  private def at(node: Int): F = {
    if (frozen(node) eq OnDisk) bringBack(node)
    marks(node) = true
    frozen(node).asInstanceOf[F]
  }

  private def bringBack(node: Int): Unit = {
    val bytes = paging.store.read(places(node))
    keep(node, partials.read(new DataInputStream(new ByteArrayInputStream(bytes))))
  }

  private def spill(node: Int): Unit = {
    val partial = frozen(node).asInstanceOf[F]
    val size = partials.sizeOf(partial)
    // Partials do not change, so a partial that was read back is still on disk.
    if (places(node) == Nowhere) {
      val buffer = new ByteArrayOutputStream
      partials.write(partial, new DataOutputStream(buffer))
      places(node) = paging.store.write(buffer.toByteArray, size)
    }
    frozen(node) = OnDisk
    forget(size)
  }

  private def forget(size: Long): Unit = {
    inMemory -= 1
    held -= size
    stepped.release(size)
  }

  override private[kernel] def isReadInOrder: Boolean = false

  override private[kernel] def spareBytes: Long =
    if (paging == null || inMemory <= Fewest) 0L else held / 2

  override private[kernel] def giveUp(): Boolean = {
    val limit = held - spareBytes
    val isMore = held > limit
    while (held > limit && inMemory > Fewest) {
      hand = if (hand + 1 < made) hand + 1 else 0
      if (frozen(hand) != null && (frozen(hand) ne OnDisk)) {
        if (marks(hand)) marks(hand) = false else spill(hand)
      }
    }
    stepped.trim()
    isMore
  }

  private def blockOf(slot: Int): Long = slots.number(slot) >> blockBits

  private def drop(node: Int): Unit = if (frozen(node) != null) {
    val partial = frozen(node)
    frozen(node) = null
    if (partial ne OnDisk) forget(partials.sizeOf(partial.asInstanceOf[F]))
    if (places(node) != Nowhere) {
      paging.store.free(places(node))
      places(node) = Nowhere
    }
  }

  private def take(): Int =
    if (unused != None) {
      val node = unused
      unused = left(node)
      node
    } else {
      made += 1
      made - 1
    }

  private def give(node: Int): Unit = {
    drop(node)
    left(node) = unused
    unused = node
  }

  private def reserveLeaf(slot: Int): Unit =
    if (slot >= leaves.length) {
      val capacity = Integer.highestOneBit(slot) * 2
      memory.acquire(4L * capacity)
      memory.release(4L * leaves.length)
      leaves = util.Arrays.copyOf(leaves, capacity)
    }

  private def reserveNodes(): Unit =
    if (made + 2 > left.length) {
      val capacity = left.length * 2
      memory.acquire(BytesPerNode * capacity)
      memory.release(BytesPerNode * left.length)
      left = util.Arrays.copyOf(left, capacity)
      right = util.Arrays.copyOf(right, capacity)
      parents = util.Arrays.copyOf(parents, capacity)
      levels = util.Arrays.copyOf(levels, capacity)
      frozen = util.Arrays.copyOf(frozen, capacity)
      marks = util.Arrays.copyOf(marks, capacity)
      places = util.Arrays.copyOf(places, capacity)
      util.Arrays.fill(places, capacity / 2, capacity, Nowhere)
    }

  override def close(): Unit = {
    clear()
    rows.close()
    memory.release(4L * leaves.length + BytesPerNode * left.length)
  }
}

object AlignedTree {
  val abilities: Abilities =
    Abilities(s"aligned tree of blocks of ${AlignedBlocks.FanOut}", blocks = true)

  private val InitialCapacity = 64
  private val BytesPerNode = 33L
  private val None = -1
  private val Leaf = -1
  private val Nowhere = -1L

  /** The number of partials that stay in memory. */
  private val Fewest = 8

  /** Marks a partial that is on disk. */
  private val OnDisk = new AnyRef
}
