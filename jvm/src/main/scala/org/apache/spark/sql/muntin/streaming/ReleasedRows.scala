package org.apache.spark.sql.muntin.streaming

import java.util.{Arrays, Comparator}

import io.muntin.kernel.sorting.RadixSort
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Sorts the rows of a group that go to the kernel in this micro-batch by time, then by the other
 * columns of the order. The sort is stable. Buffered rows stay in their written form until their
 * turn.
 *
 * Guarded by ReleasedRowsSuite.
 */
final class ReleasedRows(ordering: Option[Ordering[InternalRow]], form: RowForm)
    extends KernelRows {
  // A row, or the input that it is written in.
  private var rows = new Array[UnsafeRow](64)
  private var written = new Array[StateInput](64)
  private var places = new Array[Int](64)
  private var times = new Array[Long](64)
  // If rows are not in order: their times as unsigned numbers, and the rows' indices.
  private var keys = new Array[Long](64)
  private var order = new Array[Int](64)
  private var radix = new RadixSort(64)
  private var isSorted = false
  private var count = 0
  private var at = 0
  private var inOrder = true

  def clear(): Unit = {
    Arrays.fill(rows.asInstanceOf[Array[AnyRef]], 0, count, null)
    Arrays.fill(written.asInstanceOf[Array[AnyRef]], 0, count, null)
    count = 0
    at = 0
    inOrder = true
    isSorted = false
  }

  /** Adds a row. The caller must not change `row` afterwards. */
  def add(time: Long, row: UnsafeRow): Unit = add(time, row, null, 0)

  /** Adds the row that is written at `place`. */
  def addWritten(time: Long, in: StateInput, place: Int): Unit = add(time, null, in, place)

  private def add(time: Long, row: UnsafeRow, in: StateInput, place: Int): Unit = {
    if (count == rows.length) {
      rows = Arrays.copyOf(rows, 2 * count)
      written = Arrays.copyOf(written, 2 * count)
      places = Arrays.copyOf(places, 2 * count)
      times = Arrays.copyOf(times, 2 * count)
    }
    rows(count) = row
    written(count) = in
    places(count) = place
    times(count) = time
    count += 1
    if (inOrder && count > 1) inOrder = areInOrder(count - 2, count - 1)
  }

  private def areInOrder(left: Int, right: Int): Boolean =
    times(left) < times(right) || (times(left) == times(right) && compare(left, right) <= 0)

  /** Compares rows of equal times. */
  private def compare(left: Int, right: Int): Int = ordering match {
    case Some(o) =>
      val first = row(left)
      o.compare(if (rows(left) == null) first.copy() else first, row(right))
    case None => 0
  }

  def size: Int = count

  def sort(): Unit = if (!inOrder) {
    if (keys.length < count) {
      keys = new Array[Long](rows.length)
      order = new Array[Int](rows.length)
      radix = new RadixSort(rows.length)
    }
    var i = 0
    while (i < count) {
      keys(i) = times(i) ^ Long.MinValue
      order(i) = i
      i += 1
    }
    radix.sort(keys, order, 0, count)
    if (ordering.isDefined) sortPeers()
    isSorted = true
  }

  private def sortPeers(): Unit = {
    val comparator: Comparator[Integer] = (a, b) => compare(a, b)
    var from = 0
    while (from < count) {
      var until = from + 1
      while (until < count && times(order(until)) == times(order(from))) until += 1
      if (until - from > 1) {
        val peers = Array.tabulate(until - from)(i => Integer.valueOf(order(from + i)))
        Arrays.sort(peers, comparator)
        peers.indices.foreach(i => order(from + i) = peers(i))
      }
      from = until
    }
  }

  override def hasNext: Boolean = at < count

  override def nextTime: Long = times(index)

  override def next(): UnsafeRow = {
    val found = row(index)
    at += 1
    found
  }

  private def row(i: Int): UnsafeRow =
    if (rows(i) != null) rows(i)
    else {
      written(i).moveTo(places(i))
      form.read(written(i), times(i))
    }

  private def index: Int = if (isSorted) order(at) else at
}
