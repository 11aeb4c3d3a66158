package io.muntin.kernel.sums

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.DoubleColumn

/**
 * The moments of the doubles in a frame.
 *
 * Cost per row: that of PowerSums. Guarded by MomentsSuite.
 */
final class Moments(column: DoubleColumn, order: Int)
    extends SumsOfRows(new PowerSums(order)) {

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) sums.add(column(p))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) sums.subtract(column(p))
      p += 1
    }
  }
}

object Moments {
  val abilities: Abilities = Abilities.group("exact power sums")
}
