package io.muntin.kernel.merging

import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.{Memory, SteppedMemory}

/**
 * AlignedBlocks' tree for many frames over the same rows: each node is computed once, when a frame
 * first requests it, and kept while `rows` retains its rows.
 *
 * Cost: one update per row, and one merge per node. Guarded by SharedBlocksSuite.
 */
final class SharedBlocks[F <: AnyRef](
    memory: Memory,
    partials: Partials[F],
    rows: Column.Reader,
    private[kernel] val fanOut: Int = AlignedBlocks.FanOut
) {
  private[kernel] val stepped = new SteppedMemory(memory)
  // Level i has nodes of fanOut^(i + 1) rows.
  private var levels: Array[FrozenRing[F]] = Array.empty

  /** Returns a node that `make` has created. */
  private[kernel] def apply(level: Int, index: Long): F = levels(level)(index)

  /** Creates the nodes of a level from `first` until `last`. Overwrites the current partial. */
  private[kernel] def make(level: Int, first: Long, last: Long): Unit = {
    while (level >= levels.length) levels = levels :+ new FrozenRing(stepped, partials)
    evict()
    val nodes = levels(level)
    nodes.dropBefore(math.min(first, oldest(level)))
    while (nodes.until < last) nodes.append(made(level, nodes.until))
  }

  private def made(level: Int, index: Long): F =
    if (level == 0) {
      partials.zero()
      partials.update(index * fanOut, (index + 1) * fanOut)
      partials.freeze()
    } else {
      make(level - 1, index * fanOut, (index + 1) * fanOut)
      folded(partials, level - 1, index * fanOut, (index + 1) * fanOut)
    }

  /** Returns the nodes from `first` until `last`, merged one by one by these partials. */
  private[kernel] def folded(by: Partials[F], level: Int, first: Long, last: Long): F = {
    var grown = levels(level)(first)
    var next = first + 1
    while (next < last) {
      by.thaw(grown)
      by.merge(levels(level)(next))
      grown = by.freeze()
      next += 1
    }
    grown
  }

  /** Drops the nodes with rows that are no longer retained. */
  def evict(): Unit = {
    var i = 0
    while (i < levels.length) {
      levels(i).dropBefore(oldest(i))
      i += 1
    }
  }

  /** Returns the first node of a level with only retained rows. */
  private def oldest(level: Int): Long = {
    var index = rows.floor
    var i = 0
    while (i <= level) {
      index = (index + fanOut - 1) / fanOut
      i += 1
    }
    index
  }

  def clear(): Unit = {
    var i = 0
    while (i < levels.length) {
      levels(i).clear()
      i += 1
    }
  }

  def close(): Unit = {
    levels.foreach(_.close())
    levels = Array.empty
  }
}

/**
 * AlignedBlocks' result, to the bit, for a frame that shares its blocks with other frames. The
 * previous frame is not used.
 *
 * Cost per result: up to two blocks of updates, and up to two blocks of merges for each level of
 * the tree. Guarded by SharedBlocksSuite.
 */
final class BlocksBetween[F <: AnyRef](blocks: SharedBlocks[F], partials: Partials[F])
    extends FrameFold {
  private val fanOut = blocks.fanOut
  private var lo = 0L
  private var hi = 0L
  // The partials to merge, from left to right, and the begin and end of each prefix.
  private var pieces = new Array[AnyRef](4 * fanOut)
  private var pieceCount = 0
  private val ends = new Array[Long](64)
  // The bytes of the partials that are computed for one result only.
  private var held = 0L

  override def clear(): Unit = lo = hi

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    hi = until
  }

  override def leave(from: Long, until: Long): Unit = lo = until

  override def refresh(): Unit =
    if (hi - lo <= fanOut) {
      partials.zero()
      partials.update(lo, hi)
    } else {
      try merge()
      finally {
        java.util.Arrays.fill(pieces, 0, pieceCount, null)
        pieceCount = 0
        blocks.stepped.release(held)
        held = 0L
      }
    }

  private def merge(): Unit = {
    val first = parentOf(lo)
    val last = hi / fanOut
    val tail = last * fanOut
    // First, because both calls use the current partial.
    val whole = if (first < last) merged(first, last) else null.asInstanceOf[F]
    val after =
      if (tail == hi || partials.updatesMerged) null.asInstanceOf[F] else keep(rows(tail, hi))
    val suffix = if (lo == first * fanOut) null.asInstanceOf[F] else keep(rowSuffix(first * fanOut))
    if (suffix == null) partials.thaw(whole)
    else {
      partials.thaw(suffix)
      if (whole != null) partials.merge(whole)
    }
    if (after != null) partials.merge(after) else partials.update(tail, hi)
  }

  private def rows(from: Long, until: Long): F = {
    partials.zero()
    partials.update(from, until)
    partials.freeze()
  }

  private def rowSuffix(until: Long): F = {
    var suffix = rows(until - 1, until)
    var next = until - 2
    while (next >= lo) {
      partials.zero()
      partials.update(next)
      partials.merge(suffix)
      suffix = partials.freeze()
      next -= 1
    }
    suffix
  }

  // From the outside in: up on the left side, across, and down on the right side.
  private def merged(first: Long, last: Long): F = {
    var depth = 0
    var from = first
    var until = last
    blocks.make(0, first, last)
    while (parentOf(from) < until / fanOut) {
      blocks.make(depth + 1, parentOf(from), until / fanOut)
      if (from % fanOut != 0L) add(keep(nodeSuffix(depth, from)))
      ends(depth) = until
      from = parentOf(from)
      until = until / fanOut
      depth += 1
    }
    while (from < until) {
      add(blocks(depth, from))
      from += 1
    }
    while (depth > 0) {
      depth -= 1
      val begin = ends(depth) / fanOut * fanOut
      if (begin < ends(depth)) add(keep(blocks.folded(partials, depth, begin, ends(depth))))
    }
    partials.thaw(pieces(0).asInstanceOf[F])
    var i = 1
    while (i < pieceCount) {
      partials.merge(pieces(i).asInstanceOf[F])
      i += 1
    }
    keep(partials.freeze())
  }

  private def nodeSuffix(level: Int, from: Long): F = {
    var next = parentOf(from) * fanOut - 1
    var suffix = blocks(level, next)
    while (next > from) {
      next -= 1
      partials.thaw(blocks(level, next))
      partials.merge(suffix)
      suffix = partials.freeze()
    }
    suffix
  }

  private def add(piece: F): Unit = {
    if (pieceCount == pieces.length) pieces = java.util.Arrays.copyOf(pieces, 2 * pieceCount)
    pieces(pieceCount) = piece
    pieceCount += 1
  }

  private def keep(frozen: F): F = {
    val size = partials.sizeOf(frozen)
    blocks.stepped.acquire(size)
    held += size
    frozen
  }

  // Returns the first node that does not begin before `child`.
  private def parentOf(child: Long): Long = (child + fanOut - 1) / fanOut
}
