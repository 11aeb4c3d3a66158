package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * Places for the rows of a window that leave in another order than they enter. A row that enters
 * takes a free slot, into which its values are copied; the slot is free again when the row has
 * left. So the memory is that of the rows that are there at one time, however long a row stays.
 *
 *     valid from until    a [1, 9)   b [2, 3)   c [4, 6)
 *     slots               a 0        b 1        c 1        b has left when c enters
 *
 * To accumulators the slots are positions: rows come and go in any order, one at a time, and a
 * position is taken again by other rows.
 *
 * Where memory is short the values go to disk, and the numbers; the slot that was given back last
 * is taken first, so that what has come in for a row that leaves is there for the next that comes.
 *
 * Cost per row: one copy of each value; 8 bytes per slot. Guarded by SlotsSuite.
 */
final class Slots(memory: Memory) {
  import Slots._

  private var sources = Array.empty[Column]
  private var cells = Array.empty[Column]
  // By slot the number of its row; of a free one, below 0, which other one is free.
  private val numbers = new Longs(memory)
  private var free = NoSlot
  private var there = 0
  private var used = 0

  /** The values of `source`, a column of the rows as they arrive, by slot. */
  def column(source: Column): Column = {
    val index = sources.indexOf(source)
    if (index >= 0) cells(index)
    else {
      require(used == 0, "a column is asked for before rows come")
      val made = source.cells(0)
      memory.paging.foreach(made.scattersTo)
      sources = sources :+ source
      cells = cells :+ made
      made
    }
  }

  /** How many rows are there. */
  def size: Int = there

  /** Slots from this on have not been taken since `clear`. */
  def capacity: Int = used

  /**
   * A slot for the row at `position` of the columns in which rows arrive, which is its number too.
   */
  def take(position: Long): Int = take(position, position)

  /**
   * The same for a row of another number, which is above those of all rows that are there, and not
   * below 0.
   */
  def take(position: Long, number: Long): Int = {
    if (free == NoSlot) addSlot()
    val slot = free
    var i = 0
    while (i < cells.length) {
      cells(i).set(slot.toLong, sources(i), position)
      i += 1
    }
    free = linked(numbers(slot)).toInt
    numbers(slot) = number
    there += 1
    slot
  }

  /** Where the slot's row stood among those that arrived: rows in their order. */
  def number(slot: Int): Long = numbers(slot)

  /** The numbers of all rows that are there, in their order. */
  def numbersThere: Array[Long] = {
    val all = new Array[Long](there)
    var slot = 0
    var found = 0
    while (found < there) {
      val number = numbers(slot)
      if (number >= 0L) {
        all(found) = number
        found += 1
      }
      slot += 1
    }
    java.util.Arrays.sort(all)
    all
  }

  /** The slot's row has left. */
  def give(slot: Int): Unit = {
    var i = 0
    while (i < cells.length) {
      cells(i).unset(slot.toLong)
      i += 1
    }
    numbers(slot) = linked(free.toLong)
    free = slot
    there -= 1
  }

  def clear(): Unit = {
    var i = 0
    while (i < cells.length) {
      cells(i).clear()
      i += 1
    }
    numbers.clear()
    free = NoSlot
    there = 0
    used = 0
  }

  def close(): Unit = {
    cells.foreach(_.close())
    numbers.close()
  }

  private def addSlot(): Unit = {
    numbers.makeRoom(used)
    var i = 0
    while (i < cells.length) {
      // The cell may be there already: memory for that of another column was refused.
      if (cells(i).size == used) cells(i).appendNull()
      i += 1
    }
    numbers(used) = linked(NoSlot.toLong)
    free = used
    used += 1
  }
}

private object Slots {
  private val NoSlot = -1

  /** A link to a slot, or to none, in the place of a number; and back. */
  private def linked(next: Long): Long = -2L - next
}
