package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Column, Keys}

/**
 * One end of a frame: finds it for the current row. A lower edge is the first row in the frame, an
 * upper edge is the position after the last row. Edges only move forward from row to row, so an
 * edge is searched from its previous position.
 */
abstract class Edge {

  /** Returns the edge for `current`, at or after `from`, among the rows before `arrived`. */
  def seek(from: Long, current: Long, arrived: Long): Long

  /** Returns true if rows that have not arrived could still move the edge from `edgePosition`. */
  def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean

  /** Like `isOpen`, but the column of keys holds a bound at `arrived`: no later key is below it. */
  def isOpenBefore(edgePosition: Long, current: Long, arrived: Long): Boolean =
    isOpen(edgePosition, current, arrived)

  /** True if the edge reads columns, at the rows of the frame's ends and at the current row. */
  def readsKeys: Boolean = false

  /** True if the edge is never open: it waits for no row. */
  def isImmediate: Boolean = false

  def startPartition(first: Long): Unit = ()

  /** The column of keys no longer holds a bound. */
  def forget(): Unit = ()
}

/** UNBOUNDED PRECEDING, as a lower edge. */
object UnboundedStart extends Edge {
  override def seek(from: Long, current: Long, arrived: Long): Long = 0L
  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean = false
}

/** UNBOUNDED FOLLOWING, as an upper edge. */
object UnboundedEnd extends Edge {
  override def seek(from: Long, current: Long, arrived: Long): Long = arrived
  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean = true
}

/** ROWS: `shift` rows after the current row, or before it, if negative. */
final class RowsEdge(shift: Long) extends Edge {
  override def seek(from: Long, current: Long, arrived: Long): Long =
    math.max(from, math.min(current + shift, arrived))

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean =
    current + shift > arrived

  // As an upper edge: the frame ends at or before the current row.
  override def isImmediate: Boolean = shift <= 1L
}

/**
 * RANGE: the first row whose key is not below the current row's bound (`after` false), or the first
 * row whose key is above it (`after` true). Cost: one comparison per row and edge, amortised, and
 * one to detect that it does not move.
 */
final class RangeEdge(keys: Keys, after: Boolean, override val isImmediate: Boolean = false)
    extends Edge {
  private val stop = if (after) 1 else 0

  override def seek(from: Long, current: Long, arrived: Long): Long = {
    var p = from
    while (p < arrived && keys.compare(p, current) < stop) p += 1
    p
  }

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean =
    edgePosition >= arrived

  override def isOpenBefore(edgePosition: Long, current: Long, arrived: Long): Boolean =
    edgePosition >= arrived && keys.compare(arrived, current) < stop

  override def readsKeys: Boolean = true

  override def startPartition(first: Long): Unit = keys.startPartition()

  override def forget(): Unit = keys.startPartition()
}

/**
 * As an upper edge: the `count`-th row after the current row whose value in `column` is not null.
 */
final class PresentEdge(column: Column, count: Int) extends Edge {
  // The number of non-null values after `row`, the last current row, and before the edge.
  private var nonNulls = 0
  private var row = 0L

  override def startPartition(first: Long): Unit = {
    nonNulls = 0
    row = first
  }

  override def seek(from: Long, current: Long, arrived: Long): Long = {
    while (row < current) {
      row += 1
      if (!column.isNull(row) && row < from) nonNulls -= 1
    }
    var p = math.max(from, current + 1)
    while (p < arrived && nonNulls < count) {
      if (!column.isNull(p)) nonNulls += 1
      p += 1
    }
    p
  }

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean = nonNulls < count

  override def readsKeys: Boolean = true
}
