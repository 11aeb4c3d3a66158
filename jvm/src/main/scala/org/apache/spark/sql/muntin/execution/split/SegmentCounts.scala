package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BasePredicate
import org.apache.spark.unsafe.Platform

/** Counts the rows of each segment, and the rows for which each condition is true. */
private[split] final class SegmentCounts(segments: Int, conditions: Int) {
  private val width = 1 + conditions
  private val counts = new Array[Long](segments * width)

  /** Counts a row of a segment. */
  def add(segment: Int): Unit = counts(segment * width) += 1L

  /** Counts the conditions that are true for a row of a segment. */
  def addWhere(segment: Int, row: InternalRow, conditions: Array[BasePredicate]): Unit = {
    var i = 0
    while (i < conditions.length) {
      if (conditions(i).eval(row)) counts(segment * width + 1 + i) += 1L
      i += 1
    }
  }

  /** Returns the counts in the form that another task adds. */
  def bytes: Array[Byte] = {
    val bytes = new Array[Byte](8 * counts.length)
    counts.indices.foreach(i => Platform.putLong(bytes, SegmentCounts.offset(i), counts(i)))
    bytes
  }

  /** Adds the counts of another task. */
  def add(others: Array[Byte]): Unit =
    counts.indices.foreach(i => counts(i) += Platform.getLong(others, SegmentCounts.offset(i)))

  /** Returns the number of rows in some segments. */
  def rows(from: Int, until: Int): Long = sum(from, until, 0)

  /** Returns the number of rows in some segments for which a condition is true. */
  def rowsWhere(condition: Int, from: Int, until: Int): Long = sum(from, until, 1 + condition)

  private def sum(from: Int, until: Int, at: Int): Long =
    (from until until).iterator.map(i => counts(i * width + at)).sum
}

private object SegmentCounts {
  private def offset(i: Int): Long = Platform.BYTE_ARRAY_OFFSET + 8L * i
}
