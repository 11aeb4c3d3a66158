package io.muntin.kernel.merging

import io.muntin.kernel.{Abilities, BlockAligned, PieceCombiner}
import io.muntin.kernel.memory.{Memory, SteppedMemory}

/**
 * Computes an aggregate with merge but without retraction over frames that rows leave. Rows are
 * grouped by position, counted from the origin, into blocks of `fanOut`, blocks into blocks of
 * blocks, and so on: the nodes of a tree over the partition. Nodes that are completely in the frame
 * are computed at the first request, and kept while they are in the frame.
 *
 *     frame        [. . o o|o o o o|o o o o|o o o . .]        fanOut 4
 *     merged from   suffix   whole blocks    tail
 *
 * A frame of at most `fanOut` rows is folded from its rows. Any other frame is the suffix of its
 * first block, merged with the whole blocks in between, followed by the rows of its last block,
 * added in order. The suffixes of a block are computed backwards, once, at the first request. The
 * middle changes only if an end of the frame crosses a block boundary. It is merged from the fewest
 * nodes: on each level the suffix of the first parent and the prefix of the last parent, and in
 * between the next level.
 *
 * So the merged partials, and their order, depend only on the two ends of the frame and on the
 * origin.
 *
 * If memory is short, the nodes between the oldest and the newest are spilled (FrozenRing): a node
 * is not read again until it is among the oldest nodes, except at the top levels.
 *
 * Cost per row, amortised: two updates, two merges, and half a block of updates; a frozen partial
 * for each `fanOut` rows of the frame, which is written and read at most once. Source: the
 * canonical decompositions of segment trees, as in Tangwongsan, Hirzel, Schneider and Wu, "General
 * Incremental Sliding-Window Aggregation" (VLDB 2015), with SlidingExtreme's two-stacks suffixes
 * instead of a scan of the first node. Guarded by AlignedBlocksSuite.
 */
final class AlignedBlocks[F <: AnyRef](
    memory: Memory,
    partials: Partials[F],
    fanOut: Int = AlignedBlocks.FanOut
) extends FrameFold
    with BlockAligned {
  private val stepped = new SteppedMemory(memory)
  private val rows = new FrozenSuffixes(stepped, partials, fanOut)
  private val takeUpRow: Long => Unit = position => {
    partials.zero()
    partials.update(origin + position)
  }
  private var origin = 0L
  // Level i has nodes of fanOut^(i + 1) rows.
  private var levels: Array[Level] = Array.empty
  private var middle: F = _
  private var middleFrom = -1L
  private var middleUntil = -1L
  private var lo = 0L
  private var hi = 0L
  private var pieces = new Array[AnyRef](4 * fanOut)
  private var pieceCount = 0

  override def clear(): Unit = {
    lo = hi
    dropMiddle()
    rows.clear()
    var i = 0
    while (i < levels.length) {
      levels(i).clear()
      i += 1
    }
  }

  override def align(at: Long): Unit = origin = at

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    hi = until
  }

  override def leave(from: Long, until: Long): Unit = {
    lo = until
    if (lo == hi) clear()
    else if ((from - origin) / fanOut != (until - origin) / fanOut) drop()
  }

  private[kernel] def isEmpty: Boolean = lo == hi

  override def refresh(): Unit =
    if (hi - lo <= fanOut) {
      partials.zero()
      partials.update(lo, hi)
    } else {
      val from = lo - origin
      val until = hi - origin
      val first = parentOf(from)
      val last = until / fanOut
      val tail = last * fanOut
      // First, because both calls use the current partial.
      val whole = if (first < last) merged(first, last) else null.asInstanceOf[F]
      val after =
        if (tail == until || partials.updatesMerged) null.asInstanceOf[F] else folded(tail, until)
      if (from == first * fanOut) partials.thaw(whole)
      else {
        partials.thaw(rows(from, takeUpRow))
        if (whole != null) partials.merge(whole)
      }
      if (after != null) partials.merge(after)
      else partials.update(origin + tail, hi)
    }

  /** Returns the merged blocks from `first` until `last`. */
  private def merged(first: Long, last: Long): F = {
    if (first != middleFrom || last != middleUntil) {
      makeBlocks(first, last)
      gather(first, last)
      val frozen = mergedPieces()
      stepped.acquire(partials.sizeOf(frozen))
      dropMiddle()
      middle = frozen
      middleFrom = first
      middleUntil = last
    }
    middle
  }

  private def makeBlocks(first: Long, last: Long): Unit = {
    val blocks = level(0).nodes
    blocks.dropBefore(first)
    while (blocks.until < last)
      blocks.append(folded(blocks.until * fanOut, (blocks.until + 1) * fanOut))
  }

  // From the outside in: up on the left side, across, and down on the right side.
  private def gather(first: Long, last: Long): Unit = {
    pieceCount = 0
    var depth = 0
    var from = first
    var until = last
    while (parentOf(from) < until / fanOut) {
      level(depth).makeParents(level(depth + 1).nodes, parentOf(from), until)
      if (from % fanOut != 0L) addPiece(level(depth).suffix(from))
      from = parentOf(from)
      until = until / fanOut
      depth += 1
    }
    while (from < until) {
      addPiece(level(depth).nodes(from))
      from += 1
    }
    while (depth > 0) {
      depth -= 1
      val prefix = level(depth).prefix
      if (prefix != null) addPiece(prefix)
    }
  }

  private def addPiece(piece: F): Unit = {
    if (pieceCount == pieces.length) {
      pieces = java.util.Arrays.copyOf(pieces, 2 * pieceCount)
    }
    pieces(pieceCount) = piece
    pieceCount += 1
  }

  private def mergedPieces(): F = {
    partials.thaw(pieces(0).asInstanceOf[F])
    var i = 1
    while (i < pieceCount) {
      partials.merge(pieces(i).asInstanceOf[F])
      i += 1
    }
    java.util.Arrays.fill(pieces, 0, pieceCount, null)
    partials.freeze()
  }

  private def folded(from: Long, until: Long): F = {
    partials.zero()
    partials.update(origin + from, origin + until)
    partials.freeze()
  }

  // Returns the first node that does not begin before `child`.
  private def parentOf(child: Long): Long = (child + fanOut - 1) / fanOut

  private def level(index: Int): Level = {
    if (index == levels.length) levels = levels :+ new Level
    levels(index)
  }

  private def drop(): Unit = {
    rows.dropBefore(lo - origin)
    var from = parentOf(lo - origin)
    if (middleFrom < from) dropMiddle()
    var i = 0
    while (i < levels.length) {
      levels(i).dropBefore(from)
      from = parentOf(from)
      i += 1
    }
  }

  private def dropMiddle(): Unit = if (middle != null) {
    val size = partials.sizeOf(middle)
    middle = null.asInstanceOf[F]
    middleFrom = -1L
    stepped.release(size)
  }

  override def close(): Unit = {
    clear()
    rows.close()
    levels.foreach(_.close())
    levels = Array.empty
  }

  /** The nodes of one size, the suffixes of the oldest parent, and the prefix of the newest. */
  private final class Level {
    val nodes = new FrozenRing(stepped, partials)
    private val suffixes = new FrozenSuffixes(stepped, partials, fanOut)
    private val takeUp: Long => Unit = index => partials.thaw(nodes(index))
    private var newest: F = _
    // The next node to merge into the newest parent.
    private var next = 0L

    /** Returns the existing nodes of the newest parent, merged; null if none exists. */
    def prefix: F = newest

    /** Returns the node merged with its younger siblings. */
    def suffix(index: Long): F = suffixes(index, takeUp)

    /** Creates the parents from `first` on, of the nodes before `until`. */
    def makeParents(parents: FrozenRing[F], first: Long, until: Long): Unit = {
      if (next < first * fanOut) {
        dropPrefix()
        next = first * fanOut
        parents.dropBefore(first)
      }
      while (next < until) {
        val grown = if (newest == null) nodes(next) else withNext
        if ((next + 1) % fanOut == 0L) {
          parents.append(grown)
          dropPrefix()
        } else {
          stepped.acquire(partials.sizeOf(grown))
          dropPrefix()
          newest = grown
        }
        next += 1
      }
    }

    private def withNext: F = {
      partials.thaw(newest)
      partials.merge(nodes(next))
      partials.freeze()
    }

    private def dropPrefix(): Unit = if (newest != null) {
      val size = partials.sizeOf(newest)
      newest = null.asInstanceOf[F]
      stepped.release(size)
    }

    def dropBefore(index: Long): Unit = {
      nodes.dropBefore(index)
      suffixes.dropBefore(index)
    }

    def clear(): Unit = {
      nodes.clear()
      suffixes.clear()
      dropPrefix()
      next = 0L
    }

    def close(): Unit = {
      clear()
      nodes.close()
      suffixes.close()
    }
  }
}

object AlignedBlocks {
  val FanOut: Int = 16

  val abilities: Abilities = Abilities(s"aligned blocks of $FanOut", blocks = true)
}

/**
 * Computes an aggregate with merge but without retraction over a frame of several pieces: merges
 * the partials of the pieces in order. Cost per row: AlignedBlocks' cost for each piece, and a
 * merge. Guarded by PiecesSuite.
 */
final class MergedPieces[F <: AnyRef](
    memory: Memory,
    partials: Partials[F],
    pieces: Array[AlignedBlocks[F]]
) extends FrameFold
    with PieceCombiner {
  private val frozen = new Array[AnyRef](pieces.length)

  override def refresh(): Unit = {
    var filled = 0
    var i = 0
    while (i < pieces.length) {
      if (!pieces(i).isEmpty) filled += 1
      i += 1
    }
    if (filled == 0) partials.zero()
    else if (filled == 1) {
      i = 0
      while (pieces(i).isEmpty) i += 1
      pieces(i).refresh()
    } else merge()
  }

  private def merge(): Unit = {
    var held = 0L
    try {
      var count = 0
      var i = 0
      while (i < pieces.length) {
        if (!pieces(i).isEmpty) {
          pieces(i).refresh()
          val partial = partials.freeze()
          val size = partials.sizeOf(partial)
          memory.acquire(size)
          held += size
          frozen(count) = partial
          count += 1
        }
        i += 1
      }
      partials.thaw(frozen(0).asInstanceOf[F])
      i = 1
      while (i < count) {
        partials.merge(frozen(i).asInstanceOf[F])
        i += 1
      }
    } finally {
      java.util.Arrays.fill(frozen, null)
      memory.release(held)
    }
  }
}
