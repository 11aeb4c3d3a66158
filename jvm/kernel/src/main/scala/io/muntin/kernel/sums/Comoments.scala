package io.muntin.kernel.sums

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.DoubleColumn

/**
 * The common moments of the non-null pairs of doubles in a frame.
 *
 * Cost per row: that of PairSums. Guarded by ComomentsSuite.
 */
final class Comoments(
    x: DoubleColumn,
    y: DoubleColumn,
    squaresOfX: Boolean,
    squaresOfY: Boolean
) extends SumsOfRows(new PairSums(squaresOfX, squaresOfY)) {
  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!x.isNull(p) && !y.isNull(p)) sums.add(x(p), y(p))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!x.isNull(p) && !y.isNull(p)) sums.subtract(x(p), y(p))
      p += 1
    }
  }
}

object Comoments {
  val abilities: Abilities = Abilities.group("exact pair sums")
}
