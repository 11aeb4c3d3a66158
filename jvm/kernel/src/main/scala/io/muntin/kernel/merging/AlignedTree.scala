package io.muntin.kernel.merging

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.util

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Links, Slots}
import io.muntin.kernel.memory.{Memory, Paged, SteppedMemory}

/**
 * An aggregate that can only be merged, where rows leave in any order: a binary tree over the
 * numbers of the rows. Only the parts that contain rows exist.
 *
 *     numbers   0…15 16…31 | 32…47   (none)   blocks of 16 rows, folded in order
 *                  \  /        |              each pair, and each pair of pairs, merged
 *
 * A leaf is a block of `fanOut` numbers, aligned; an inner node stands where both of its halves
 * hold rows, and merges them. So what is merged with what follows from the numbers of the rows that
 * are there alone, and not from those that have left. At most `fanOut` rows are folded as they are.
 *
 * A row that enters or leaves makes the nodes above it stale; they are made again when a result is
 * read. New rows are at the right edge, and an empty block leaves with the node above it.
 *
 * Where memory is short and the task has a disk, partials that have not been read for a while go to
 * disk, one by one.
 *
 * Cost per result after k changes over n rows: k blocks of updates and k log2(n / fanOut) merges,
 * at most. A frozen partial for each node, less than two nodes for each block that contains rows;
 * 12 bytes per slot and 33 per node. Source: PATRICIA (Morrison, 1968) over Tangwongsan, Hirzel,
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
  // The rows, in the order of their numbers, and the leaf that each is in.
  private val rows = new Links(memory)
  private var leaves = new Array[Int](InitialCapacity)
  private var firstRow = Links.None
  private var lastRow = Links.None
  private var count = 0
  // By node: the halves, or of a leaf its first row and how many it has.
  private var left = new Array[Int](InitialCapacity)
  private var right = new Array[Int](InitialCapacity)
  private var parents = new Array[Int](InitialCapacity)
  // The highest bit in which the block numbers of the halves differ; -1 in a leaf.
  private var levels = new Array[Int](InitialCapacity)
  // Null where it is stale; where it is, so are all nodes above. OnDisk where it has gone out.
  private var frozen = new Array[AnyRef](InitialCapacity)
  // Where it lies on disk, if it has ever gone there; whether it has been looked at since the hand
  // came by.
  private var places = new Array[Long](InitialCapacity)
  private var marks = new Array[Boolean](InitialCapacity)
  private var hand = 0
  // The partials in memory, and their bytes.
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
    // A block, and the node above it.
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

  /** `by` takes the place of `node` under what is above it. */
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
    // Partials do not change: one that has come back is there still.
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

  /** In the place of a partial that is on disk. */
  private val OnDisk = new AnyRef
}
