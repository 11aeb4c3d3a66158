package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, SavableState}

/**
 * Computes any aggregate over a frame that only grows: one partial, into which each row is folded
 * once, in order.
 *
 * Cost per row: one update. Guarded by FoldSuite.
 */
class GrowingFold private (fold: Fold) extends FrameFold {
  override def clear(): Unit = fold.zero()

  override def enter(from: Long, until: Long): Unit = fold.update(from, until)

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def refresh(): Unit = ()
}

object GrowingFold {

  /** `isSaved`: the fold's `Partials.isSaved`. */
  def abilities(isSaved: Boolean): Abilities = Abilities("running partial", saves = isSaved)

  def apply(fold: Fold): GrowingFold = fold match {
    case partials: Partials[_] if partials.isSaved => new SavableGrowingFold(partials)
    case other => new GrowingFold(other)
  }

  private final class SavableGrowingFold(partials: Partials[_]) extends GrowingFold(partials)
      with SavableState {
    override def save(out: DataOutput): Unit = partials.save(out)

    override def restore(in: DataInput): Unit = partials.restore(in)
  }
}
