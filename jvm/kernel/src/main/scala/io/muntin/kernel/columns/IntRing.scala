package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * An int for each row of a frame, by position. Unlike a Column, it has no readers with floors: the
 * owner passes the first required position when it makes room.
 *
 * Cost: one store, one load. Guarded by IntRingSuite.
 */
final class IntRing(memory: Memory) {
  private var slots = new Array[Int](IntRing.InitialCapacity)
  private var mask = slots.length - 1

  memory.acquire(4L * slots.length)

  def apply(position: Long): Int = slots(position.toInt & mask)

  def update(position: Long, value: Int): Unit = slots(position.toInt & mask) = value

  /** Makes room for the positions [from, until), and keeps the values at [from, held). */
  def reserve(from: Long, held: Long, until: Long): Unit =
    if (until - from > slots.length) {
      val capacity = java.lang.Long.highestOneBit((until - from) * 2 - 1).toInt
      memory.acquire(4L * capacity)
      val larger = new Array[Int](capacity)
      new Column.RingCopy(from, held, mask, capacity - 1)(slots, larger)
      memory.release(4L * slots.length)
      slots = larger
      mask = capacity - 1
    }

  def close(): Unit = memory.release(4L * slots.length)
}

object IntRing {
  private val InitialCapacity = 64
}
