package org.apache.spark.sql.muntin.streaming

import java.util.Comparator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of a group that go to the kernel in this micro-batch, sorted by time, then by the other
 * columns of the order; equal rows stay as they came.
 */
final class ReleasedRows(ordering: Option[Ordering[InternalRow]]) {
  private var rows = new Array[UnsafeRow](64)
  private var times = new Array[Long](64)
  private var sorted: Array[Integer] = _
  private var count = 0
  private var at = 0
  private var inOrder = true

  private val comparator: Comparator[Integer] = (a, b) => {
    val byTime = java.lang.Long.compare(times(a), times(b))
    if (byTime != 0) byTime
    else ordering.fold(0)(_.compare(rows(a), rows(b)))
  }

  def clear(): Unit = {
    java.util.Arrays.fill(rows.asInstanceOf[Array[AnyRef]], 0, count, null)
    count = 0
    at = 0
    inOrder = true
    sorted = null
  }

  /** The caller may not change `row` afterwards. */
  def add(time: Long, row: UnsafeRow): Unit = {
    if (count == rows.length) {
      rows = java.util.Arrays.copyOf(rows, 2 * count)
      times = java.util.Arrays.copyOf(times, 2 * count)
    }
    rows(count) = row
    times(count) = time
    count += 1
    if (inOrder && count > 1) inOrder = comparator.compare(count - 2, count - 1) <= 0
  }

  def size: Int = count

  def sort(): Unit = if (!inOrder) {
    sorted = Array.tabulate(count)(Integer.valueOf)
    java.util.Arrays.sort(sorted, comparator)
  }

  def hasNext: Boolean = at < count

  def nextTime: Long = times(index)

  def next(): UnsafeRow = {
    val row = rows(index)
    at += 1
    row
  }

  private def index: Int = if (sorted == null) at else sorted(at).intValue
}
