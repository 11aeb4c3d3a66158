package io.muntin.kernel.sorting

import java.util

import io.muntin.kernel.columns.Column
import io.muntin.kernel.memory.Memory

/**
 * A heap for values of any type.
 *
 * Cost per value: log2 of their number in comparisons, and twice that for a removal; 4 bytes.
 * Guarded by EndsSuite.
 */
private[kernel] final class BinaryHeap(memory: Memory, values: Column) extends SlotHeap {
  private var slots = new Array[Int](SlotHeap.InitialCapacity)
  private var count = 0

  memory.acquire(4L * slots.length)

  override def isEmpty: Boolean = count == 0

  override def first: Int = slots(0)

  override def take(): Int = {
    val taken = slots(0)
    count -= 1
    if (count > 0) sink(slots(count))
    taken
  }

  override def add(slot: Int): Unit = {
    if (count == slots.length) grow()
    var place = count
    count += 1
    while (place > 0 && values.compare(slot.toLong, slots((place - 1) / 2).toLong) < 0) {
      slots(place) = slots((place - 1) / 2)
      place = (place - 1) / 2
    }
    slots(place) = slot
  }

  override def clear(): Unit = count = 0

  override def close(): Unit = memory.release(4L * slots.length)

  /** Puts `slot` in place of the first, and moves it below lesser values. */
  private def sink(slot: Int): Unit = {
    var place = 0
    var child = 1
    while (child < count) {
      if (child + 1 < count && isLess(child + 1, child)) child += 1
      if (values.compare(slots(child).toLong, slot.toLong) < 0) {
        slots(place) = slots(child)
        place = child
        child = 2 * place + 1
      } else child = count
    }
    slots(place) = slot
  }

  private def isLess(place: Int, other: Int): Boolean =
    values.compare(slots(place).toLong, slots(other).toLong) < 0

  private def grow(): Unit = {
    memory.acquire(8L * slots.length)
    memory.release(4L * slots.length)
    slots = util.Arrays.copyOf(slots, slots.length * 2)
  }
}
