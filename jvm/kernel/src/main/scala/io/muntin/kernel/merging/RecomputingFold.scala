package io.muntin.kernel.merging

import io.muntin.kernel.{Abilities, PieceCombiner}
import io.muntin.kernel.motions.Motion

/**
 * Computes an aggregate without merge over frames that rows leave: folds the rows of each frame
 * again.
 *
 * Cost per row: one update for each row in the frame. Guarded by FoldSuite.
 */
final class RecomputingFold(fold: Fold) extends FrameFold {
  private var lo = 0L
  private var hi = 0L

  override def clear(): Unit = lo = hi

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    hi = until
  }

  override def leave(from: Long, until: Long): Unit = lo = until

  override def refresh(): Unit = {
    fold.zero()
    fold.update(lo, hi)
  }
}

/** Computes an aggregate without merge over a frame of several pieces. Guarded by PiecesSuite. */
final class RecomputedPieces(fold: Fold, pieces: Array[Motion]) extends FrameFold
    with PieceCombiner {
  override def refresh(): Unit = {
    fold.zero()
    var i = 0
    while (i < pieces.length) {
      fold.update(pieces(i).start, pieces(i).end)
      i += 1
    }
  }
}

object RecomputingFold {
  val abilities: Abilities = Abilities("recomputed")
}
