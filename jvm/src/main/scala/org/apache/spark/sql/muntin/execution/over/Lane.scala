package org.apache.spark.sql.muntin.execution.over

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, Expression, UnsafeRow}
import org.apache.spark.sql.muntin.execution.rows.InputColumns

/**
 * The rows for which a condition is true, as a separate sequence with its own positions:
 *
 *     rows of the partition   0  1  2  3  4
 *     condition               t  f  t  t  f
 *     position in the lane    0     1  2
 *     counted                 1  1  2  3  3
 *
 * @param columns
 *   columns that contain only the lane's rows
 * @param counted
 *   for each row of the partition, the number of rows in the lane up to and including the row
 */
private final class Lane(
    val condition: Expression,
    val columns: InputColumns,
    val counted: LongColumn,
    predicate: BasePredicate
) {
  // The first row of the partition that `before` and `row` still need, and how many rows of the
  // lane are before it.
  private var first = 0L
  private var countedBefore = 0L
  private var count = 0L
  private var feed: InternalRow => Unit = _

  /** Starts the lane, after every column has been requested. */
  def start(): Unit = feed = columns.feed

  /** Begins with the row at `first`; `before` rows of the lane are before it. */
  def startPartition(first: Long, before: Long): Unit = {
    columns.clear(before)
    counted.clear(first)
    this.first = first
    count = before
    countedBefore = before
  }

  def arrive(row: UnsafeRow): Unit = {
    if (predicate.eval(row)) {
      feed(row)
      count += 1
    }
    counted.append(count)
  }

  /** Returns how many rows of the lane precede the partition's row at `position`. */
  def before(position: Long): Long =
    if (position == first) countedBefore else counted(position - 1L)

  /**
   * Returns the row of the partition at `position` of the lane; the position after the last row, if
   * there is none.
   */
  def row(position: Long): Long = {
    var low = first
    var high = counted.size
    while (low < high) {
      val middle = (low + high) >>> 1
      if (counted(middle) <= position) low = middle + 1L else high = middle
    }
    low
  }

  /** Releases the rows before `position`, which `before` and `row` no longer need. */
  def release(position: Long): Unit = {
    countedBefore = before(position)
    first = position
  }

  def close(): Unit = {
    counted.close()
    columns.close()
  }
}
