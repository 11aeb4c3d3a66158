package io.muntin.kernel.merging

import io.muntin.kernel.Abilities

/**
 * Computes an aggregate with retraction over frames that rows leave: one partial, to which rows are
 * added as they enter, and from which they are retracted as they leave. The aggregate promises that
 * a retracted row leaves no trace (`io.muntin.api.Retracting`). If the frame becomes empty, the
 * partial is reset.
 *
 * Cost per row: one update and one retraction. Guarded by FoldSuite.
 */
final class RetractingFold(retraction: Retraction) extends FrameFold {
  override def clear(): Unit = retraction.zero()

  override def enter(from: Long, until: Long): Unit = retraction.update(from, until)

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      retraction.retract(p)
      p += 1
    }
  }

  override def refresh(): Unit = ()
}

object RetractingFold {
  val abilities: Abilities = Abilities("retracting")
}
