package io.muntin.kernel.merging

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, Saved}

/**
 * Any aggregate over a frame that only grows: one partial, each row folded into it once, in order.
 *
 * Cost per row: one update. Guarded by FoldSuite.
 */
class Running private (fold: Fold) extends FrameFold {
  override def clear(): Unit = fold.zero()

  override def enter(from: Long, until: Long): Unit = fold.update(from, until)

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def refresh(): Unit = ()
}

object Running {

  /** `isSaved`: what the fold is. */
  def abilities(isSaved: Boolean): Abilities = Abilities("running partial", saves = isSaved)

  def apply(fold: Fold): Running = fold match {
    case partials: Partials[_] if partials.isSaved => new Kept(partials)
    case other => new Running(other)
  }

  private final class Kept(partials: Partials[_]) extends Running(partials) with Saved {
    override def save(out: DataOutput): Unit = partials.save(out)

    override def restore(in: DataInput): Unit = partials.restore(in)
  }
}
