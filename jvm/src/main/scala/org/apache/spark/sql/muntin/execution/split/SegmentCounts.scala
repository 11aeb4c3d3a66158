package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BasePredicate, UnsafeRow}

/**
 * How many rows each segment has, and for how many of these rows each condition is true: as one
 * row, which a shuffle can write.
 */
private[split] final class SegmentCounts(segments: Int, conditions: Int) {
  private val width = 1 + conditions
  private val fields = segments * width

  val row: UnsafeRow = UnsafeRow.createFromByteArray(
    UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields,
    fields
  )
  private val other = new UnsafeRow(fields)

  /** Counts a row of a segment. */
  def add(segment: Int, row: InternalRow, conditions: Array[BasePredicate]): Unit = {
    add(segment)
    var i = 0
    while (i < conditions.length) {
      if (conditions(i).eval(row)) add(segment * width + 1 + i, 1L)
      i += 1
    }
  }

  /** Counts a row of a segment, where there are no conditions. */
  def add(segment: Int): Unit = add(segment * width, 1L)

  /** Adds the counts of another task, of which these are the bytes. */
  def add(others: Array[Byte]): Unit = {
    other.pointTo(others, others.length)
    addOther()
  }

  /** Adds the counts of another task. The shuffle gives this row the schema of other rows. */
  def add(others: UnsafeRow): Unit = {
    other.pointTo(others.getBaseObject, others.getBaseOffset, others.getSizeInBytes)
    addOther()
  }

  private def addOther(): Unit = {
    var i = 0
    while (i < fields) {
      add(i, other.getLong(i))
      i += 1
    }
  }

  private def add(field: Int, count: Long): Unit = row.setLong(field, row.getLong(field) + count)

  /** How many rows some segments have. */
  def rows(from: Int, until: Int): Long = sum(from, until, 0)

  /** For how many rows of some segments a condition is true. */
  def rowsWhere(condition: Int, from: Int, until: Int): Long = sum(from, until, 1 + condition)

  private def sum(from: Int, until: Int, at: Int): Long =
    (from until until).iterator.map(i => row.getLong(i * width + at)).sum
}
