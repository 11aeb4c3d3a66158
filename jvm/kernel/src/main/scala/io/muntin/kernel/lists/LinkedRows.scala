package io.muntin.kernel.lists

import io.muntin.kernel.{Abilities, Accumulator, PieceCombiner}
import io.muntin.kernel.columns.{Column, Links}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.{Fold, FrameFold}

/**
 * The rows of a window in the order of arrival, if they leave in any order: a doubly linked list of
 * their slots. With `present`, only rows for which it is not null count.
 *
 * Cost per row: constant. A lookup of the first, the last, or the successor of the last lookup
 * takes one step; any other lookup takes as many steps as its distance from the nearest of these. 8
 * bytes per slot. Guarded by LinkedRowsSuite.
 */
final class LinkedRows(memory: Memory, present: Option[Column]) extends Accumulator {
  import Links.None

  private val marks: Column = present.orNull
  private val links = new Links(memory)
  private var first = None
  private var last = None
  private var count = 0
  // The slot of the last lookup, and its index.
  private var cursor = None
  private var cursorIndex = 0

  def size: Int = count

  /** Returns the slot of the `i`-th row that counts, from 0. */
  def slot(i: Int): Int = {
    startNear(i)
    while (cursorIndex < i) {
      cursor = links.after(cursor)
      cursorIndex += 1
    }
    while (cursorIndex > i) {
      cursor = links.before(cursor)
      cursorIndex -= 1
    }
    cursor
  }

  private def startNear(i: Int): Unit = {
    val distance = if (cursor == None) Int.MaxValue else math.abs(i - cursorIndex)
    if (i < distance && i <= count - 1 - i) {
      cursor = first
      cursorIndex = 0
    } else if (count - 1 - i < distance) {
      cursor = last
      cursorIndex = count - 1
    }
  }

  override def anyOrder: Boolean = true

  override def clear(): Unit = {
    first = None
    last = None
    count = 0
    cursor = None
    links.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (marks == null || !marks.isNull(p)) {
        val slot = p.toInt
        links.reserve(slot)
        links.append(slot, last)
        if (first == None) first = slot
        last = slot
        count += 1
      }
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (marks == null || !marks.isNull(p)) {
        val slot = p.toInt
        if (slot == first) first = links.after(slot)
        if (slot == last) last = links.before(slot)
        links.remove(slot)
        count -= 1
        cursor = None
      }
      p += 1
    }
  }

  override def close(): Unit = links.close()
}

/** The values of linked rows as a list. Guarded by LinkedRowsSuite. */
final class LinkedList(rows: LinkedRows, override val values: Column)
    extends ListedRows
    with PieceCombiner {
  override def size: Int = rows.size

  override def position(i: Int): Long = rows.slot(i).toLong
}

/**
 * Computes an aggregate without merge over frames that rows leave in any order: folds the rows of
 * each window again. Guarded by LinkedRowsSuite.
 */
final class RecomputedRows(fold: Fold, rows: LinkedRows) extends FrameFold with PieceCombiner {
  override def refresh(): Unit = {
    fold.zero()
    var i = 0
    while (i < rows.size) {
      fold.update(rows.slot(i).toLong)
      i += 1
    }
  }
}

object LinkedRows {
  val abilities: Abilities = Abilities("linked rows")
}
