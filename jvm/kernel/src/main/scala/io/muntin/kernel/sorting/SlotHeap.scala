package io.muntin.kernel.sorting

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory

/** A heap of slots by the non-null values that a column has for them: the least is first. */
private[kernel] abstract class SlotHeap {
  def isEmpty: Boolean

  /** Returns a slot with the least value. */
  def first: Int

  /** Removes a slot with the least value, and returns it. */
  def take(): Int

  /** Adds a slot. After a removal, no lesser value may be added until `clear`. */
  def add(slot: Int): Unit

  def clear(): Unit

  def close(): Unit
}

private[kernel] object SlotHeap {
  private[kernel] val InitialCapacity = 64

  def apply(memory: Memory, values: Column): SlotHeap = values match {
    case longs: LongColumn => new RadixHeap(memory) {
        override protected def key(slot: Int): Long = longs(slot.toLong)
      }
    case doubles: DoubleColumn => new RadixHeap(memory) {
        override protected def key(slot: Int): Long = DoubleColumn.sortable(doubles(slot.toLong))
      }
    case other => new BinaryHeap(memory, other)
  }
}
