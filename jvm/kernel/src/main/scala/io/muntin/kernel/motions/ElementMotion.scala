package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.memory.Memory

/**
 * For each row, in the order of starts, the rows that are valid at its start: the row itself, and
 * earlier rows, but not later rows with the same start.
 *
 * Cost per row: ValidityMotion's. Source: Odysseus' latencyOptimized. Guarded by
 * ValidityMotionSuite.
 */
final class ElementMotion(
    memory: Memory,
    starts: Column,
    ends: Column,
    slots: Slots,
    condition: String = "start <= end"
) extends ValidityMotion(memory, starts, ends, slots, condition) {
  override def from: Long = 0L

  override def to: Long = 1L

  // Without another row, only one event is needed: it forgets all present rows at once.
  override def wakeUpTime: Long = {
    val untils = until.asInstanceOf[LongColumn]
    var last = Long.MinValue
    var slot = 0L
    while (slot < end) {
      if (!untils.isNull(slot)) last = math.max(last, untils(slot))
      slot += 1
    }
    if (last == Long.MinValue) Long.MaxValue else last
  }

  override def next(arrived: Long, ended: Boolean): Boolean =
    if (row == arrived) {
      if (bound > Long.MinValue) while (nextEnd <= bound) leave()
      false
    } else {
      times.set(from, starts, row)
      while (!leaving.isEmpty && until.compareTo(leaving.first.toLong, times, from) <= 0) leave()
      // A row that is never valid has a result, too, over the other rows.
      if (isEmptyInterval) row += 1 else enterNext()
      true
    }
}
