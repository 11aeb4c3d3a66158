package io.muntin.kernel

/**
 * Any aggregate over a frame that only grows: one partial, each row folded into it once, in order.
 *
 * Cost per row: one update. Guarded by FoldSuite.
 */
final class Running(fold: Fold) extends FrameFold {
  override def clear(): Unit = fold.zero()

  override def enter(from: Long, until: Long): Unit = fold.update(from, until)

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def settle(): Unit = ()
}
