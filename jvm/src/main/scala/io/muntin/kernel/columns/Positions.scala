package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/** A queue of row positions in a ring: appended at the end, dropped at the front. */
final class Positions(memory: Memory) {
  private var slots = new Array[Long](Positions.InitialCapacity)
  private var mask = slots.length - 1
  private var first = 0L
  private var next = 0L

  memory.acquire(8L * slots.length)

  def size: Long = next - first

  /** The `index`-th position from the front, counted from 0. */
  def apply(index: Long): Long = slots((first + index).toInt & mask)

  def append(position: Long): Unit = {
    if (size > mask) grow()
    slots(next.toInt & mask) = position
    next += 1
  }

  def dropBefore(position: Long): Unit =
    while (first < next && slots(first.toInt & mask) < position) first += 1

  def clear(): Unit = {
    first = 0L
    next = 0L
  }

  def close(): Unit = memory.release(8L * slots.length)

  private def grow(): Unit = {
    val capacity = slots.length * 2
    memory.acquire(8L * capacity)
    val larger = new Array[Long](capacity)
    new Column.Turn(first, next, mask, capacity - 1)(slots, larger)
    memory.release(8L * slots.length)
    slots = larger
    mask = capacity - 1
  }
}

object Positions {
  private val InitialCapacity = 64
}
