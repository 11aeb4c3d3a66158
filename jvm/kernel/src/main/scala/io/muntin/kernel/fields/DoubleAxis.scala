package io.muntin.kernel.fields

import java.io.{DataInput, DataOutput}
import java.math.BigDecimal

import io.muntin.kernel.columns.DoubleColumn

/**
 * A field of doubles. Openings, closes and points are decimal numbers: `steps` has the digits, and
 * `scale` is the position of the point. Each is rounded to a double once, and values are compared
 * with this double. So rounding errors do not accumulate over many windows, and 0.3 is the third
 * boundary of windows 0.1 apart. Windows that open at a row are computed from its value by Spark's
 * own addition.
 *
 * A value so large that neighbouring windows would have the same bounds is an error. The bound of a
 * stream is an ordinal (OrderedDouble). Guarded by FieldMotionSuite.
 */
final class DoubleAxis(
    field: String,
    values: DoubleColumn,
    steps: FieldSteps[Long],
    scale: Int,
    greatest: Double,
    parameter: String = "field"
) extends FieldAxis {
  private val closes = steps.size.isDefined
  private val isAligned = steps.advance.isDefined
  private val size = steps.size.getOrElse(0L)
  private val advance = steps.advance.getOrElse(1L)
  private val shift = Math.floorMod(steps.offset, advance)
  private val every = steps.every.getOrElse(0L)
  private val points =
    if (every == 0L) 1L else if (closes) (size - 1L) / every + 1L else Long.MaxValue
  private val unit = new BigDecimal(java.math.BigInteger.ONE, -scale).doubleValue
  private val width = rounded(size)
  private val highest = {
    val finest = (steps.size ++ steps.advance ++ steps.every).reduceOption(_ min _)
    finest.fold(Double.MaxValue) { step =>
      math.min(rounded(step) * DoubleAxis.Steps, DoubleAxis.Digits / unit)
    }
  }

  // If windows are aligned, the window's opening in digits of `scale`.
  private var digits = 0L
  private var opening = 0.0
  private var closing = 0.0
  private var following = 0.0
  private var number = 0L
  private var at = 0.0
  private var reached = 0.0
  private var bound = Double.NegativeInfinity

  if (greatest > highest && steps.every.isDefined) throw tooFar(greatest)

  /** Returns the window's opening. */
  def open: Double = opening

  /** Returns the window's close, if it closes. */
  def close: Double = closing

  /** Returns the current point, if the window closes. */
  def emit: Double = at

  override def startPartition(): Unit = {
    reached = Double.NegativeInfinity
    bound = Double.NegativeInfinity
  }

  override def check(row: Long): Unit = {
    if (values.isNull(row)) throw InvalidWindowRowException.missing(parameter, field)
    val value = values(row)
    if (value.isNaN || value.isInfinite) {
      throw new InvalidWindowRowException(
        "MUNTIN_WINDOW_FIELD_NOT_FINITE",
        Map("parameter" -> parameter, "field" -> field, "value" -> value.toString)
      )
    }
    if (value < -highest || value > highest) throw tooFar(value)
  }

  private def tooFar(value: Double) = new InvalidWindowRowException(
    "MUNTIN_WINDOW_FIELD_TOO_LARGE",
    Map("parameter" -> parameter, "field" -> field, "value" -> value.toString)
  )

  override def pass(row: Long): Unit = reached = math.max(reached, values(row))

  override def isGap(row: Long): Boolean = !isAligned || values(row) >= reached + width

  override def openFirst(row: Long): Unit = {
    // Without the sign of zero.
    val value = values(row) + 0.0
    if (!isAligned) {
      opening = value
      closing = value + width
    } else {
      var start = latest(value)
      if (steps.all) {
        // Sums are rounded: a value after a gap by one sum may be in an open window by another sum.
        val first = if (reached.isInfinite) Long.MinValue else digits + advance
        while (start > first && rounded(start - advance + size) > value) start -= advance
      }
      openAt(start)
    }
  }

  /** Returns the opening of the last window that contains `value`; windows are aligned. */
  private def latest(value: Double): Long = {
    // Start from an estimate, and correct it by the exact boundaries.
    val estimate = Math.floor(value * unit).toLong
    var start = shift + Math.floorDiv(estimate - shift, advance) * advance
    while (rounded(start) > value) start -= advance
    while (rounded(start + advance) <= value) start += advance
    start
  }

  /** Returns the close of the last window that contains `value`. */
  def closeAfter(value: Double): Double =
    if (isAligned) rounded(latest(value) + size) else value + width

  override def openNext(): Unit = openAt(digits + advance)

  private def openAt(start: Long): Unit = {
    digits = start
    opening = rounded(start)
    closing = rounded(start + size)
    following = rounded(start + advance)
  }

  override def reachesNext(row: Long): Boolean = values(row) >= following

  override def toPointAfter(row: Long): Unit =
    if (points == 1L) toClose()
    else {
      val value = values(row)
      var number = math.max(1L, Math.floor((value - opening) * unit / every.toDouble).toLong)
      while (number > 1L && pointAt(number - 1L) > value) number -= 1L
      while (number < points && pointAt(number) <= value) number += 1L
      toPoint(number)
    }

  override def toPoint(number: Long): Unit =
    if (number >= points) toClose()
    else {
      this.number = number
      at = pointAt(number)
    }

  private def pointAt(number: Long): Double =
    if (isAligned) rounded(digits + number * every) else opening + rounded(number * every)

  override def point: Long = number

  override def toClose(): Unit = {
    number = points
    at = closing
  }

  override def isLast: Boolean = number == points

  override def isBeforePoint(row: Long): Boolean = values(row) < at || (isLast && !closes)

  override def isReached: Boolean = at <= greatest && !(isLast && !closes)

  override def raiseBound(bound: Long): Unit = this.bound = OrderedDouble.value(bound)

  override def isBelowBound: Boolean = at <= bound && !(isLast && !closes)

  override def readyAt: Long =
    if (isLast && !closes) Long.MaxValue else OrderedDouble.ordinal(at)

  // Consistent with isGap.
  private def gapFrom: Double =
    if (isAligned && reached > Double.NegativeInfinity) reached + width else bound

  override def afterGap: Long = OrderedDouble.ordinal(gapFrom)

  override def isAfterGap: Boolean = bound >= gapFrom

  override def save(out: DataOutput): Unit = {
    out.writeLong(digits)
    out.writeDouble(opening)
    out.writeLong(number)
    out.writeDouble(at)
    out.writeDouble(reached)
  }

  override def resume(in: DataInput): Unit = {
    digits = in.readLong()
    opening = in.readDouble()
    if (isAligned) openAt(digits) else closing = opening + width
    number = in.readLong()
    at = in.readDouble()
    reached = in.readDouble()
  }

  override def isBefore(other: FieldAxis): Boolean = {
    val that = other.asInstanceOf[DoubleAxis]
    at < that.at || (at == that.at && opening < that.opening)
  }

  /** Returns the double nearest to a decimal number. */
  private def rounded(digits: Long): Double =
    // The quotient of two exact doubles is rounded once.
    if (scale <= DoubleAxis.ExactPower && math.abs(digits) <= DoubleAxis.ExactDigits) digits / unit
    else BigDecimal.valueOf(digits, scale).doubleValue
}

private object DoubleAxis {

  /** Up to this number of windows from zero, adjacent doubles are closer together than windows. */
  private val Steps = (1L << 50).toDouble

  /** Up to this magnitude, digits are longs, with room for additions. */
  private val Digits = (1L << 61).toDouble

  private val ExactPower = 22
  private val ExactDigits = 1L << 53
}
