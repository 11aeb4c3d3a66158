package io.muntin.kernel.fields

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn

/**
 * A field of integers: numbers, microseconds, days, unscaled decimals. Rows near the ends of long
 * are refused, and so no sum overflows. The columns, `steps` and `greatest` count `units` of the
 * field; bounds are values of the field.
 *
 * Guarded by FieldMotionSuite.
 */
final class LongAxis(
    field: String,
    values: LongColumn,
    reach: LongColumn,
    steps: FieldSteps[Long],
    greatest: Long,
    parameter: String = "field",
    units: FieldUnits = FieldUnits.Single
) extends FieldAxis {
  private val closes = steps.size.isDefined
  private val isAligned = steps.advance.isDefined
  private val size = steps.size.getOrElse(0L)
  private val advance = steps.advance.getOrElse(1L)
  private val shift = Math.floorMod(steps.offset, advance)
  private val every = steps.every.getOrElse(0L)
  private val points =
    if (every == 0L) 1L else if (closes) (size - 1L) / every + 1L else Long.MaxValue
  private val margin = {
    val sum = size + math.max(steps.advance.getOrElse(0L), every)
    if (sum < 0L) Long.MaxValue else sum
  }
  private val lowest = Long.MinValue + margin
  private val highest = Long.MaxValue - margin

  private var opening = 0L
  private var number = 0L
  private var at = 0L
  private var reached = 0L
  private var bound = Long.MinValue
  private var boundUnit = Long.MinValue

  if (greatest > highest && steps.every.isDefined)
    throw FieldAxis.tooFar(parameter, field, greatest)

  /** Returns the window's opening. */
  def open: Long = units.start(opening)

  /** Returns the window's close, if it closes. */
  def close: Long = units.start(opening + size)

  /** Returns the current point, if the window closes. */
  def emit: Long = units.start(at)

  override def startPartition(): Unit = {
    reached = Long.MinValue
    bound = Long.MinValue
    boundUnit = Long.MinValue
  }

  override def check(row: Long): Unit = {
    if (values.isNull(row)) throw InvalidWindowRowException.missing(parameter, field)
    if (values(row) < lowest) throw FieldAxis.tooFar(parameter, field, values(row))
    if (reach(row) > highest) throw FieldAxis.tooFar(parameter, field, reach(row))
  }

  override def pass(row: Long): Unit = reached = math.max(reached, reach(row))

  // Compared as unsigned: the distance of two values may exceed a long.
  override def isGap(row: Long): Boolean =
    !isAligned || java.lang.Long.compareUnsigned(values(row) - reached, size) >= 0

  override def openFirst(row: Long): Unit = {
    val value = values(row)
    opening =
      if (!isAligned) value
      else {
        val latest = shift + Math.floorDiv(value - shift, advance) * advance
        if (steps.all) latest - (latest + size - 1L - value) / advance * advance else latest
      }
  }

  override def openNext(): Unit = opening += advance

  override def reachesNext(row: Long): Boolean = values(row) >= opening + advance

  override def toPointAfter(row: Long): Unit =
    toPoint(if (every == 0L) 1L else (values(row) - opening) / every + 1L)

  override def toPoint(number: Long): Unit =
    if (number >= points) toClose()
    else {
      this.number = number
      at = opening + number * every
    }

  override def point: Long = number

  override def toClose(): Unit = {
    number = points
    at = opening + size
  }

  override def isLast: Boolean = number == points

  override def isBeforePoint(row: Long): Boolean = values(row) < at || (isLast && !closes)

  override def opensBetween(from: Long, until: Long): Boolean =
    (from == Long.MinValue && until == Long.MaxValue) || {
      val opens = open
      opens >= from && opens < until
    }

  override def isReached: Boolean = at <= greatest && !(isLast && !closes)

  override def raiseBound(bound: Long): Unit =
    if (bound != this.bound) {
      this.bound = bound
      boundUnit =
        if (bound == Long.MinValue || bound == Long.MaxValue) bound else units.of(bound)
    }

  override def isBelowBound: Boolean = at <= boundUnit && !(isLast && !closes)

  override def readyAt: Long = if (isLast && !closes) Long.MaxValue else emit

  // No sum overflows: rows near the end of long have been refused.
  override def afterGap: Long =
    if (isAligned && reached > Long.MinValue) units.start(reached + size) else bound

  override def isAfterGap: Boolean =
    !isAligned || reached == Long.MinValue || boundUnit >= reached + size

  override def save(out: DataOutput): Unit = {
    out.writeLong(opening)
    out.writeLong(number)
    out.writeLong(at)
    out.writeLong(reached)
  }

  override def resume(in: DataInput): Unit = {
    opening = in.readLong()
    number = in.readLong()
    at = in.readLong()
    reached = in.readLong()
  }

  override def isBefore(other: FieldAxis): Boolean = {
    val that = other.asInstanceOf[LongAxis]
    at < that.at || (at == that.at && opening < that.opening)
  }
}
