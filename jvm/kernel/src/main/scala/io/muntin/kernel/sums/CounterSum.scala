package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.math.BigInteger

import io.muntin.kernel.MergeableState
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.merging.KernelPartials

/**
 * The increase of a counter. A value below the previous value means that the counter was reset to
 * zero: the count until then is added.
 *
 * {{{
 * values     7    9    2    5        last - first + the values before each reset
 * increase        2  + 2  + 3  = 7   5 - 7 + 9 = 7
 * }}}
 *
 * The sum is exact: for integers the result is exact, for doubles it is the double nearest to the
 * exact result. Rows without a value are skipped.
 *
 * Cost per row, on a busy machine: 20 ns; 200 if rows leave a frame of 1000. Guarded by
 * CounterSumSuite.
 */
final class CounterSum(isWhole: Boolean, disorder: Disorder) extends MergeableState[CounterSum] {
  private val starts =
    ChunkSum(if (isWhole) ChunkSum.FixedPoint(0) else ChunkSum.FloatingPoint(1))
  private var present = 0L
  private var firstLong = 0L
  private var lastLong = 0L
  private var firstDouble = 0.0
  private var lastDouble = 0.0
  private var firstTime = 0L
  private var lastTime = 0L
  private var isOdd = false

  /** Returns the number of values. */
  def count: Long = present

  /** The time from the first value to the last. */
  def elapsed: Long = lastTime - firstTime

  def add(value: Long, time: Long): Unit = {
    if (present == 0L) {
      firstLong = value
      firstTime = time
    } else {
      checkOrder(time)
      if (value < lastLong) starts.add(lastLong)
    }
    lastLong = value
    lastTime = time
    present += 1L
  }

  def add(value: Double, time: Long): Unit = {
    if (value.isNaN || value.isInfinite) isOdd = true
    if (present == 0L) {
      firstDouble = value
      firstTime = time
    } else {
      checkOrder(time)
      if (value < lastDouble) starts.add(lastDouble)
    }
    lastDouble = value
    lastTime = time
    present += 1L
  }

  private def checkOrder(time: Long): Unit =
    if (time < lastTime) throw disorder.error(lastTime, time)

  override def merge(later: CounterSum): Unit =
    if (present == 0L) copyFrom(later)
    else if (later.present != 0L) {
      checkOrder(later.firstTime)
      if (isWhole) {
        if (later.firstLong < lastLong) starts.add(lastLong)
      } else if (later.firstDouble < lastDouble) starts.add(lastDouble)
      starts.add(later.starts)
      isOdd |= later.isOdd
      lastLong = later.lastLong
      lastDouble = later.lastDouble
      lastTime = later.lastTime
      present += later.present
    }

  /** Returns true if the increase of integers is a long. */
  def fitsLong: Boolean = {
    val difference = lastLong - firstLong
    val wraps = ((lastLong ^ firstLong) & (lastLong ^ difference)) < 0L
    if (starts.size == 0 && !wraps) true else bigInteger.bitLength < 64
  }

  /** Returns the increase of integers; call it only if `fitsLong`. */
  def long: Long =
    if (starts.size == 0) lastLong - firstLong else bigInteger.longValue

  def bigInteger: BigInteger =
    starts.toBigInteger.add(BigInteger.valueOf(lastLong)).subtract(BigInteger.valueOf(firstLong))

  /** Returns the double nearest to the increase. */
  def double: Double =
    if (isOdd) Double.NaN
    else if (isWhole) { if (fitsLong) long.toDouble else bigInteger.doubleValue }
    else if (starts.size == 0) lastDouble - firstDouble
    else {
      starts.add(lastDouble)
      starts.subtract(firstDouble)
      val sum = starts.sum
      starts.subtract(lastDouble)
      starts.add(firstDouble)
      sum
    }

  override def clear(): Unit = {
    starts.clear()
    present = 0L
    firstLong = 0L
    lastLong = 0L
    firstDouble = 0.0
    lastDouble = 0.0
    firstTime = 0L
    lastTime = 0L
    isOdd = false
  }

  override def copyFrom(other: CounterSum): Unit = {
    starts.copyFrom(other.starts)
    present = other.present
    firstLong = other.firstLong
    lastLong = other.lastLong
    firstDouble = other.firstDouble
    lastDouble = other.lastDouble
    firstTime = other.firstTime
    lastTime = other.lastTime
    isOdd = other.isOdd
  }

  override def size: Long = CounterSum.Header + 8L * starts.size

  override def save(out: DataOutput): Unit = {
    starts.save(out)
    Seq(present, firstLong, lastLong, firstTime, lastTime).foreach(out.writeLong)
    out.writeDouble(firstDouble)
    out.writeDouble(lastDouble)
    out.writeBoolean(isOdd)
  }

  override def restore(in: DataInput): Unit = {
    starts.restore(in)
    present = in.readLong()
    firstLong = in.readLong()
    lastLong = in.readLong()
    firstTime = in.readLong()
    lastTime = in.readLong()
    firstDouble = in.readDouble()
    lastDouble = in.readDouble()
    isOdd = in.readBoolean()
  }
}

object CounterSum {
  private val Header = 200L
}

/** Creates the error of a row whose time is before the previous row's. */
trait Disorder extends Serializable {
  def error(before: Long, time: Long): RuntimeException
}

/**
 * The increase of a column of longs or doubles. Rows whose value, time or mark is null are skipped.
 */
final class CounterRows(
    values: Column,
    times: Option[LongColumn],
    marks: Option[Column],
    disorder: Disorder
) extends KernelPartials[CounterSum](new CounterSum(values.isInstanceOf[LongColumn], disorder)) {
  private val longs = values match {
    case whole: LongColumn => whole
    case _ => null
  }
  private val doubles = values match {
    case floating: DoubleColumn => floating
    case _ => null
  }
  private val clock = times.orNull
  private val passing = marks.orNull

  override protected def make(): CounterSum = new CounterSum(longs != null, disorder)

  override def update(position: Long): Unit =
    if (
      (passing == null || !passing.isNull(position)) &&
      (clock == null || !clock.isNull(position))
    ) {
      val time = if (clock == null) 0L else clock(position)
      if (longs == null) {
        if (!doubles.isNull(position)) current.add(doubles(position), time)
      } else if (!longs.isNull(position)) current.add(longs(position), time)
    }
}
