package io.muntin.kernel.columns

import io.muntin.kernel.memory.Memory

/**
 * Slots for the rows of a window that leave in another order than they enter. A row that enters
 * takes a free slot, and its values are copied into the slot. When the row has left, the slot is
 * free again. So the memory depends only on the number of rows in the window, even if some rows
 * stay long.
 *
 *     valid from until    a [1, 9)   b [2, 3)   c [4, 6)
 *     slots               a 0        b 1        c 1        b has left when c enters
 *
 * Accumulators treat slots as positions: rows enter and leave in any order, one at a time, and
 * positions are reused.
 *
 * Values and numbers can be spilled. The slot that was freed last is taken first, because its page
 * is then in memory.
 *
 * Cost per row: one copy of each value; 8 bytes per slot. Guarded by SlotsSuite.
 */
final class Slots(memory: Memory) {
  import Slots._

  private var sources = Array.empty[Column]
  private var cells = Array.empty[Column]
  // For each slot, the number of its row; for a free slot, the next free slot, encoded as a
  // negative number.
  private val numbers = new Longs(memory)
  private var free = NoSlot
  private var there = 0
  private var used = 0

  /**
   * Returns a column with the values of `source` by slot; `source` has the rows in the order of
   * arrival.
   */
  def column(source: Column): Column = {
    val index = sources.indexOf(source)
    if (index >= 0) cells(index)
    else {
      require(used == 0, "columns must be requested before the first row")
      val made = source.cells(0)
      memory.paging.foreach(made.scattersTo)
      sources = sources :+ source
      cells = cells :+ made
      made
    }
  }

  /** Returns the number of rows. */
  def size: Int = there

  /** Returns the number of slots used since `clear`; slots from it on have not been taken. */
  def capacity: Int = used

  /** Takes a slot for the row at `position` of the source columns, which is also its number. */
  def take(position: Long): Int = take(position, position)

  /**
   * Takes a slot for a row with another number. The number must not be negative, and must exceed
   * the numbers of all other rows in slots.
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

  /** Returns the number of the slot's row: numbers are in the order of arrival. */
  def number(slot: Int): Long = numbers(slot)

  /** Returns the numbers of all rows in slots, in ascending order. */
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

  /** Frees the slot of a row that has left. */
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
      // The cell may exist already: memory for another column's cell was refused.
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

  /** Encodes a link to a slot, or to no slot, as a negative number, and decodes it. */
  private def linked(next: Long): Long = -2L - next
}
