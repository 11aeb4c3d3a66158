package io.muntin.kernel.distinct

import io.muntin.kernel.Accumulator

/**
 * Passes each distinct value of a tally once to accumulators that take values in any order: sums,
 * moments, ranks. A value enters with the first row that holds it, and leaves with the last.
 *
 * Cost per row: the tally's, and the accumulators' if a value enters or leaves. Guarded by
 * TallySuite.
 */
final class DistinctRows(tally: Tally) extends Tally.Listener {
  private var accumulators = Array.empty[Accumulator]

  tally.addListener(this)

  def drive(accumulator: Accumulator): Unit = accumulators = accumulators :+ accumulator

  override def entered(code: Int, position: Long): Unit =
    if (tally.count(code) == 1L) {
      var i = 0
      while (i < accumulators.length) {
        accumulators(i).enter(position, position + 1)
        i += 1
      }
    }

  override def left(code: Int, position: Long): Unit =
    if (tally.count(code) == 0L) {
      var i = 0
      while (i < accumulators.length) {
        accumulators(i).leave(position, position + 1)
        i += 1
      }
    }

  override def clear(): Unit = {
    var i = 0
    while (i < accumulators.length) {
      accumulators(i).clear()
      i += 1
    }
  }

  override def close(): Unit = accumulators.foreach(_.close())
}
