package io.muntin.kernel.lists

import io.muntin.kernel.{Abilities, Accumulator, PieceCombiner}
import io.muntin.kernel.columns.{Column, Positions}
import io.muntin.kernel.memory.Memory

/**
 * The rows of a frame that count, in order: collect_list, array_agg. A column holds the values;
 * this list holds their positions.
 */
abstract class ListedRows extends Accumulator {

  /** The column with the values. */
  def values: Column

  def size: Int

  /** Returns the position in `values` of the `i`-th row that counts, from 0. */
  def position(i: Int): Long

  /** Each result reads all rows, so neither they nor their values may be spilled. */
  def staysInMemory(): Unit = values.staysInMemory()
}

/**
 * For frames that rows leave: the values are in the shared column. With `present`, only rows for
 * which it is not null count.
 *
 * Cost per row: none; with `present` 8 bytes per row that counts. Guarded by ListedRowsSuite.
 */
final class SlidingList(memory: Memory, override val values: Column, present: Option[Column])
    extends ListedRows {
  private val marks: Column = present.orNull
  private val counting: Positions = if (marks == null) null else new Positions(memory)
  private var lo = 0L
  private var hi = 0L

  override def size: Int = (if (counting == null) hi - lo else counting.size).toInt

  override def position(i: Int): Long = if (counting == null) lo + i else counting(i.toLong)

  override def staysInMemory(): Unit = {
    super.staysInMemory()
    if (counting != null) counting.staysInMemory()
  }

  override def clear(): Unit = {
    lo = hi
    if (counting != null) counting.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    if (lo == hi) lo = from
    hi = until
    if (counting != null) {
      var p = from
      while (p < until) {
        if (!marks.isNull(p)) counting.append(p)
        p += 1
      }
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    lo = until
    if (counting != null) counting.dropBefore(until)
  }

  override def close(): Unit = if (counting != null) counting.close()
}

/**
 * For frames that no row leaves: the shared column forgets rows, so each value that counts is
 * copied into a separate column. Guarded by ListedRowsSuite.
 */
final class RunningList(source: Column, present: Option[Column]) extends ListedRows {
  private val marks: Column = present.orNull
  override val values: Column = source.cells(0)
  private var count = 0

  override def size: Int = count

  override def position(i: Int): Long = i.toLong

  override def clear(): Unit = {
    values.clear()
    count = 0
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (marks == null || !marks.isNull(p)) {
        // The cell may exist already: memory for its value was refused.
        if (values.size == count) values.appendNull()
        values.set(count.toLong, source, p)
        count += 1
      }
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def close(): Unit = values.close()
}

/** The rows of several pieces of a frame, one piece after the other. Guarded by PiecesSuite. */
final class ListOfPieces(pieces: Array[ListedRows], override val values: Column)
    extends ListedRows
    with PieceCombiner {
  override def size: Int = {
    var sum = 0
    var i = 0
    while (i < pieces.length) {
      sum += pieces(i).size
      i += 1
    }
    sum
  }

  override def position(i: Int): Long = {
    var index = i
    var piece = 0
    while (index >= pieces(piece).size) {
      index -= pieces(piece).size
      piece += 1
    }
    pieces(piece).position(index)
  }

  override def staysInMemory(): Unit = pieces.foreach(_.staysInMemory())
}

object ListedRows {
  val abilities: Abilities = Abilities("slice of the frame")
}
