package io.muntin.kernel.sorting

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory

/** Slots by the values that a column holds for them, none of them null: the least comes first. */
private[kernel] abstract class SlotHeap {
  def isEmpty: Boolean

  /** A slot with the least value. */
  def first: Int

  /** Takes out a slot with the least value. */
  def take(): Int

  /** Where a value was taken out, no lesser one is added until `clear`. */
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
