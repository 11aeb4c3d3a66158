package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.MergeableState
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.merging.KernelPartials

/**
 * The average of a value over time: the weight of each value is the time until the next value (or,
 * with lines between values, half of the times to its neighbours).
 *
 * {{{
 * t        0       10            30
 * x        4       1             7         holds: (4 * 10 + 1 * 20) / 30 = 2
 *                                          lines: (2.5 * 10 + 4 * 20) / 30 = 3.5
 * }}}
 *
 * The sum of the products is exact, so the result is the double nearest to the exact average. While
 * a NaN or infinite value has a weight, it determines the result.
 *
 * Cost per row, on a busy machine: half a microsecond, most of it to read the quotient. Guarded by
 * TimeWeightedSumSuite.
 */
final class TimeWeightedSum(isLinear: Boolean, disorder: Disorder)
    extends MergeableState[TimeWeightedSum] {
  private val area = ChunkSum(ChunkSum.FloatingPoint(2))
  private var present = 0L
  private var first = 0.0
  private var last = 0.0
  private var firstTime = 0L
  private var lastTime = 0L

  /** Returns true if no time has passed: then there is no average. */
  def isInstant: Boolean = firstTime == lastTime

  def add(value: Double, time: Long): Unit = {
    if (present == 0L) {
      first = value
      firstTime = time
    } else step(value, time)
    last = value
    lastTime = time
    present += 1L
  }

  private def step(value: Double, time: Long): Unit = {
    if (time < lastTime) throw disorder.error(lastTime, time)
    if (time > lastTime) {
      weigh(last, time - lastTime)
      if (isLinear) weigh(value, time - lastTime)
    }
  }

  private def weigh(value: Double, length: Long): Unit =
    if (value.isNaN || value.isInfinite) area.nonFinites.change(value, 1L)
    else {
      // Both parts of the length are doubles.
      area.addProduct(value, (length & ~TimeWeightedSum.Low).toDouble)
      area.addProduct(value, (length & TimeWeightedSum.Low).toDouble)
    }

  override def merge(later: TimeWeightedSum): Unit =
    if (present == 0L) copyFrom(later)
    else if (later.present != 0L) {
      step(later.first, later.firstTime)
      area.add(later.area)
      last = later.last
      lastTime = later.lastTime
      present += later.present
    }

  /** Returns true if there is no value. */
  def isEmpty: Boolean = present == 0L

  /**
   * Sets it to the values from `start` until `end`. `within` has the values of the rows. The value
   * at `start`, and at `end`, is the last value before; with lines between values, it is the point
   * on the line to the first value after. If there are no rows, `within` is null.
   */
  def between(
      before: TimeWeightedSum,
      within: TimeWeightedSum,
      after: TimeWeightedSum,
      start: Long,
      end: Long
  ): Unit = {
    clear()
    val next = if (within == null) after else within
    if (before != null && (!isLinear || next != null)) {
      add(if (isLinear) line(before, next, start) else before.last, start)
    }
    if (within != null) merge(within)
    val latest = if (within == null) before else within
    if (latest != null && (!isLinear || after != null)) {
      add(if (isLinear) line(latest, after, end) else latest.last, end)
    }
  }

  /**
   * Returns the point at `time` on the line from the last value of `before` to the first of
   * `after`.
   */
  private def line(before: TimeWeightedSum, after: TimeWeightedSum, time: Long): Double =
    if (time == before.lastTime) before.last
    else if (time == after.firstTime) after.first
    else {
      val share = distance(before.lastTime, time) / distance(before.lastTime, after.firstTime)
      before.last + (after.first - before.last) * share
    }

  private def distance(from: Long, until: Long): Double = {
    val length = until - from
    if (length >= 0L) length.toDouble else until.toDouble - from.toDouble
  }

  def average: Double = {
    val sum = area.mean(lastTime - firstTime)
    if (isLinear) sum / 2.0 else sum
  }

  override def clear(): Unit = {
    area.clear()
    present = 0L
    first = 0.0
    last = 0.0
    firstTime = 0L
    lastTime = 0L
  }

  override def copyFrom(other: TimeWeightedSum): Unit = {
    area.copyFrom(other.area)
    present = other.present
    first = other.first
    last = other.last
    firstTime = other.firstTime
    lastTime = other.lastTime
  }

  override def size: Long = TimeWeightedSum.Header + 8L * area.size

  override def save(out: DataOutput): Unit = {
    area.save(out)
    Seq(present, firstTime, lastTime).foreach(out.writeLong)
    out.writeDouble(first)
    out.writeDouble(last)
  }

  override def restore(in: DataInput): Unit = {
    area.restore(in)
    present = in.readLong()
    firstTime = in.readLong()
    lastTime = in.readLong()
    first = in.readDouble()
    last = in.readDouble()
  }
}

object TimeWeightedSum {
  private val Header = 160L
  private val Low = (1L << 32) - 1L
}

/** The time-weighted average of columns. Rows whose value, time or mark is null are skipped. */
final class TimeWeightedRows(
    values: DoubleColumn,
    times: LongColumn,
    isLinear: Boolean,
    marks: Option[Column],
    disorder: Disorder
) extends KernelPartials[TimeWeightedSum](new TimeWeightedSum(isLinear, disorder)) {
  private val passing = marks.orNull

  override protected def make(): TimeWeightedSum = new TimeWeightedSum(isLinear, disorder)

  override def update(position: Long): Unit =
    if (
      (passing == null || !passing.isNull(position)) && !values.isNull(position) &&
      !times.isNull(position)
    ) current.add(values(position), times(position))
}
