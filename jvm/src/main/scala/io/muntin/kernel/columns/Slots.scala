package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * Places for the rows of a window that leave in another order than that in which they came. A row that
 * comes takes a free slot, into which its values are copied; its slot is free again when it has left. So
 * the memory is that of the rows that are there at one time, however long one of them stays.
 *
 * To accumulators the slots are positions: rows come and go in any order, one at a time, and a position
 * is taken again by other rows.
 *
 * Cost per row: one copy of each value. Guarded by SlotsSuite.
 */
final class Slots(memory: Memory) {
  private var sources = Array.empty[Column]
  private var cells = Array.empty[Column]
  private var numbers = new Array[Long](Slots.InitialCapacity)
  // The free slots below `used`, as a stack.
  private var free = new Array[Int](Slots.InitialCapacity)
  private var freed = 0
  private var used = 0

  memory.acquire(Slots.bytesOf(Slots.InitialCapacity))

  /** The values of `source`, a column of the rows as they arrive, by slot. */
  def column(source: Column): Column = {
    val known = sources.indexOf(source)
    if (known >= 0) cells(known)
    else {
      require(used == 0, "a column is asked for before rows come")
      val made = source.cells(0)
      sources = sources :+ source
      cells = cells :+ made
      made
    }
  }

  /** How many rows are there. */
  def size: Int = used - freed

  /** Slots from this on have not been taken since `clear`. */
  def capacity: Int = used

  /** A slot for the row at `position` of the columns in which rows arrive, which is its number too. */
  def take(position: Long): Int = take(position, position)

  /** The same for a row of another number, which is above those of all rows that are there. */
  def take(position: Long, number: Long): Int = {
    if (freed == 0) addSlot()
    val slot = free(freed - 1)
    var i = 0
    while (i < cells.length) {
      cells(i).set(slot.toLong, sources(i), position)
      i += 1
    }
    freed -= 1
    numbers(slot) = number
    slot
  }

  /** Where the slot's row stood among those that arrived: rows in their order. */
  def number(slot: Int): Long = numbers(slot)

  /** The numbers of all rows that are there, in their order. */
  def numbersThere: Array[Long] = {
    val isFree = new java.util.BitSet(used)
    var i = 0
    while (i < freed) {
      isFree.set(free(i))
      i += 1
    }
    val there = new Array[Long](size)
    var slot = 0
    var found = 0
    while (found < there.length) {
      if (!isFree.get(slot)) {
        there(found) = numbers(slot)
        found += 1
      }
      slot += 1
    }
    java.util.Arrays.sort(there)
    there
  }

  /** The slot's row has left. */
  def give(slot: Int): Unit = {
    var i = 0
    while (i < cells.length) {
      cells(i).unset(slot.toLong)
      i += 1
    }
    free(freed) = slot
    freed += 1
  }

  def clear(): Unit = {
    var i = 0
    while (i < cells.length) {
      cells(i).clear()
      i += 1
    }
    freed = 0
    used = 0
  }

  def close(): Unit = {
    cells.foreach(_.close())
    memory.release(Slots.bytesOf(numbers.length))
  }

  private def addSlot(): Unit = {
    if (used == numbers.length) {
      val capacity = numbers.length * 2
      memory.acquire(Slots.bytesOf(capacity))
      numbers = java.util.Arrays.copyOf(numbers, capacity)
      free = java.util.Arrays.copyOf(free, capacity)
      memory.release(Slots.bytesOf(capacity / 2))
    }
    var i = 0
    while (i < cells.length) {
      // The cell may be there already: memory for that of another column was refused.
      if (cells(i).size == used) cells(i).appendNull()
      i += 1
    }
    free(0) = used
    freed = 1
    used += 1
  }
}

object Slots {
  private val InitialCapacity = 64

  private def bytesOf(capacity: Int): Long = capacity * 12L
}
