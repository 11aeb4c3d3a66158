package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}

/**
 * The times of the rows of one session: when its first row was, and its last. A row that lies more
 * than `gap` behind the last row is of another session.
 *
 *     gap 10     times 3 8 18 29 30     sessions 3 8 18 and 29 30: from 8 to 18 is no more than 10
 *
 * Rows without a time (null) are in a session of their own, and so are rows at NaN. A row may stand
 * for several rows: of the first of these `begin` takes the time, of the last `extend`. Rows are in
 * the order of their firsts, so that all of a later row may lie among those of an earlier one.
 */
abstract class SessionTimes(firsts: Column) {

  /** Whether the session is one of rows without a time. */
  protected var isNull = false

  /** Whether the row belongs to another session than the last row. */
  final def isApart(row: Long): Boolean =
    if (isNull || firsts.isNull(row)) isNull != firsts.isNull(row)
    else isBehind(row)

  /** A session begins with this row. */
  final def begin(row: Long): Unit = {
    isNull = firsts.isNull(row)
    if (!isNull) open(row)
  }

  /** The row belongs to the session. */
  final def extend(row: Long): Unit = if (!isNull) reach(row)

  /** Whether the row, which has a time, lies more than the gap behind the session. */
  protected def isBehind(row: Long): Boolean

  /** The session is that of the row alone. */
  protected def open(row: Long): Unit

  /** The session goes on to the row's time, if it is not there yet. */
  protected def reach(row: Long): Unit

  /** From now on no row comes whose time is below `bound`. */
  def raiseBound(bound: Long): Unit

  /** Whether a row at the bound would belong to another session: no later row is of this one. */
  def isPassed: Boolean

  /** Whether a row of another group is as far behind the session as a row of another session. */
  def isReached: Boolean

  /** The bound from which the session is passed. */
  def passedAt: Long

  /** Forgets the session and the bound. */
  def clear(): Unit

  def save(out: DataOutput): Unit

  def resume(in: DataInput): Unit
}

/**
 * Times that are longs: microseconds, days, numbers, unscaled decimals. `greatest` is the greatest
 * time of all groups.
 */
final class LongSessionTimes(
    firsts: LongColumn,
    lasts: LongColumn,
    gap: Long,
    descending: Boolean,
    greatest: Long
) extends SessionTimes(firsts) {
  private var opened = 0L
  private var latest = 0L
  private var bound = Long.MinValue

  /** When the session's first row was. */
  def first: Long = opened

  /** When its last row was. */
  def last: Long = latest

  override protected def isBehind(row: Long): Boolean = {
    val time = firsts(row)
    isAfter(time) && isBeyond(time)
  }

  private def isAfter(time: Long): Boolean = if (descending) time < latest else time > latest

  // As unsigned: two times may be farther apart than a long says.
  private def isBeyond(time: Long): Boolean =
    java.lang.Long.compareUnsigned(if (descending) latest - time else time - latest, gap) > 0

  override protected def open(row: Long): Unit = {
    opened = firsts(row)
    latest = lasts(row)
  }

  override protected def reach(row: Long): Unit = {
    val time = lasts(row)
    if (isAfter(time)) latest = time
  }

  override def raiseBound(bound: Long): Unit = this.bound = bound

  override def isPassed: Boolean = bound > latest && isBeyond(bound)

  override def isReached: Boolean = greatest > latest && isBeyond(greatest)

  override def passedAt: Long = {
    val sum = latest + gap
    if (sum < latest || sum == Long.MaxValue) Long.MaxValue else sum + 1L
  }

  override def clear(): Unit = {
    isNull = false
    bound = Long.MinValue
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(opened)
    out.writeLong(latest)
    out.writeBoolean(isNull)
  }

  override def resume(in: DataInput): Unit = {
    opened = in.readLong()
    latest = in.readLong()
    isNull = in.readBoolean()
  }
}

/** Times that are doubles: a session ends at its last time plus the gap, as doubles add them. */
final class DoubleSessionTimes(
    firsts: DoubleColumn,
    lasts: DoubleColumn,
    gap: Double,
    descending: Boolean,
    greatest: Double
) extends SessionTimes(firsts) {
  private var opened = 0.0
  private var latest = 0.0

  def first: Double = opened

  def last: Double = latest

  override protected def isBehind(row: Long): Boolean = isBeyond(firsts(row))

  private def isBeyond(time: Double): Boolean =
    if (descending) DoubleColumn.compare(time, latest - gap) < 0
    else DoubleColumn.compare(time, latest + gap) > 0

  override protected def open(row: Long): Unit = {
    opened = firsts(row)
    latest = lasts(row)
  }

  override protected def reach(row: Long): Unit = {
    val time = lasts(row)
    val order = DoubleColumn.compare(time, latest)
    if (if (descending) order < 0 else order > 0) latest = time
  }

  // On a stream times are longs.
  override def raiseBound(bound: Long): Unit =
    throw new UnsupportedOperationException("a bound of doubles")

  override def isPassed: Boolean = false

  override def isReached: Boolean = greatest > latest && isBeyond(greatest)

  override def passedAt: Long = Long.MaxValue

  override def clear(): Unit = isNull = false

  override def save(out: DataOutput): Unit = {
    out.writeDouble(opened)
    out.writeDouble(latest)
    out.writeBoolean(isNull)
  }

  override def resume(in: DataInput): Unit = {
    opened = in.readDouble()
    latest = in.readDouble()
    isNull = in.readBoolean()
  }
}
