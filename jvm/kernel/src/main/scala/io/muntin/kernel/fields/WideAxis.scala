package io.muntin.kernel.fields

import java.math.BigInteger

import io.muntin.kernel.columns.Int128Column

/**
 * A field of 128-bit integers: unscaled decimals of more than 18 digits. A value so large that a
 * window may reach `limit` is an error. Bounds are computed once per window, in big integers; rows
 * are compared with two words.
 *
 * Guarded by FieldMotionSuite.
 */
final class WideAxis(
    field: String,
    values: Int128Column,
    reach: Int128Column,
    steps: FieldSteps[BigInteger],
    greatest: Option[BigInteger],
    limit: BigInteger,
    parameter: String = "field"
) extends FieldAxis {
  import WideAxis._

  private val closes = steps.size.isDefined
  private val isAligned = steps.advance.isDefined
  private val size = steps.size.getOrElse(BigInteger.ZERO)
  private val advance = steps.advance.getOrElse(BigInteger.ONE)
  private val shift = steps.offset.mod(advance)
  private val every = steps.every.getOrElse(BigInteger.ZERO)
  private val points =
    if (steps.every.isEmpty) 1L
    else if (!closes) Long.MaxValue
    else size.subtract(BigInteger.ONE).divide(every).add(BigInteger.ONE).min(Most).longValue
  private val highest = new Word(limit.subtract(size).subtract(advance.max(every)))
  private val lowest = new Word(highest.value.negate)

  private var opening = BigInteger.ZERO
  private val following = new Word(BigInteger.ZERO)
  private val at = new Word(BigInteger.ZERO)
  private val reached = new Word(BigInteger.ZERO)
  private var number = 0L
  private var hasPassed = false

  if (steps.every.isDefined && greatest.exists(_.compareTo(highest.value) > 0)) {
    throw FieldAxis.tooFar(parameter, field, s"${greatest.get} (unscaled)")
  }

  /** Returns the window's opening. */
  def open: BigInteger = opening

  /** Returns the window's close, if it closes. */
  def close: BigInteger = opening.add(size)

  /** Returns the current point, if the window closes. */
  def emit: BigInteger = at.value

  override def startPartition(): Unit = hasPassed = false

  override def check(row: Long): Unit = {
    if (values.isNull(row)) throw InvalidWindowRowException.missing(parameter, field)
    if (lowest.isAbove(values, row)) throw FieldAxis.tooFar(parameter, field, unscaled(values, row))
    if (!highest.isAbove(reach, row)) throw FieldAxis.tooFar(parameter, field, unscaled(reach, row))
  }

  private def unscaled(column: Int128Column, row: Long): String =
    s"${read(column, row)} (unscaled)"

  override def pass(row: Long): Unit =
    if (!hasPassed || !reached.isAbove(reach, row)) {
      reached.set(reach.high(row), reach.low(row))
      hasPassed = true
    }

  override def isGap(row: Long): Boolean =
    !isAligned || read(values, row).subtract(reached.value).compareTo(size) >= 0

  override def openFirst(row: Long): Unit = {
    val value = read(values, row)
    if (!isAligned) openAt(value)
    else {
      val latest = value.subtract(value.subtract(shift).mod(advance))
      openAt(
        if (!steps.all) latest
        else {
          val before = latest.add(size).subtract(BigInteger.ONE).subtract(value).divide(advance)
          latest.subtract(before.multiply(advance))
        }
      )
    }
  }

  override def openNext(): Unit = openAt(opening.add(advance))

  private def openAt(value: BigInteger): Unit = {
    opening = value
    following.set(value.add(advance))
  }

  override def reachesNext(row: Long): Boolean = !following.isAbove(values, row)

  override def toPointAfter(row: Long): Unit =
    if (points == 1L) toClose()
    else {
      val before = read(values, row).subtract(opening).divide(every)
      toPoint(before.min(Most).longValue + 1L)
    }

  override def toPoint(number: Long): Unit =
    if (number >= points) toClose()
    else {
      this.number = number
      at.set(opening.add(every.multiply(BigInteger.valueOf(number))))
    }

  override def point: Long = number

  override def toClose(): Unit = {
    number = points
    at.set(opening.add(size))
  }

  override def isLast: Boolean = number == points

  override def isBeforePoint(row: Long): Boolean = at.isAbove(values, row) || (isLast && !closes)

  override def isReached: Boolean =
    greatest.exists(at.value.compareTo(_) <= 0) && !(isLast && !closes)

  override def isBefore(other: FieldAxis): Boolean = {
    val that = other.asInstanceOf[WideAxis]
    val order = at.value.compareTo(that.at.value)
    order < 0 || (order == 0 && opening.compareTo(that.opening) < 0)
  }
}

private object WideAxis {

  /** Exceeds the number of points of any window. */
  private val Most = BigInteger.valueOf(Long.MaxValue - 1L)

  private def read(column: Int128Column, row: Long): BigInteger =
    BigInteger.valueOf(column.high(row)).shiftLeft(64).or(Int128Column.unsigned(column.low(row)))

  /** A value to compare with values of a column. */
  private final class Word(initial: BigInteger) {
    private var high = 0L
    private var low = 0L
    set(initial)

    def set(value: BigInteger): Unit = set(value.shiftRight(64).longValue, value.longValue)

    def set(high: Long, low: Long): Unit = {
      this.high = high
      this.low = low
    }

    def value: BigInteger = BigInteger.valueOf(high).shiftLeft(64).or(Int128Column.unsigned(low))

    def isAbove(column: Int128Column, row: Long): Boolean =
      Int128Column.compare(high, low, column.high(row), column.low(row)) > 0
  }
}
