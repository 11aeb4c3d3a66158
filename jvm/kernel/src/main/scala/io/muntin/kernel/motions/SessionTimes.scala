package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}

/**
 * The times of one session: the times of its first and of its last row. A row more than `gap` after
 * the last row is in another session.
 *
 *     gap 10     times 3 8 18 29 30     sessions 3 8 18 and 29 30: from 8 to 18 is at most 10
 *
 * Rows without a time (null) form a separate session, and so do rows at NaN. A row may represent
 * several rows: `begin` reads the time of the first of them, `extend` the time of the last. Rows
 * are ordered by their first times, so a later row may lie completely within an earlier row.
 */
abstract class SessionTimes(firsts: Column) {

  /** True if the session consists of rows without a time. */
  protected var isNull = false

  /** Returns true if the row is not in the last row's session. */
  final def isApart(row: Long): Boolean =
    if (isNull || firsts.isNull(row)) isNull != firsts.isNull(row)
    else isBehind(row)

  /** Starts a session with this row. */
  final def begin(row: Long): Unit = {
    isNull = firsts.isNull(row)
    if (!isNull) open(row)
  }

  /** Adds the row to the session. */
  final def extend(row: Long): Unit = if (!isNull) reach(row)

  /** Returns true if the row, which has a time, is more than the gap after the session. */
  protected def isBehind(row: Long): Boolean

  /** Starts a session with the row's time. */
  protected def open(row: Long): Unit

  /** Extends the session to the row's time, if it is later. */
  protected def reach(row: Long): Unit

  /** Sets a lower bound of the times of later rows. */
  def raiseBound(bound: Long): Unit

  /**
   * Returns true if a row at the bound would be in another session: no later row is in this
   * session.
   */
  def isPassed: Boolean

  /** Returns true if a row of another group is more than the gap after the session. */
  def isReached: Boolean

  /** Returns the bound from which on the session is passed. */
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

  /** Returns the time of the session's first row. */
  def first: Long = opened

  /** Returns the time of its last row. */
  def last: Long = latest

  override protected def isBehind(row: Long): Boolean = {
    val time = firsts(row)
    isAfter(time) && isBeyond(time)
  }

  private def isAfter(time: Long): Boolean = if (descending) time < latest else time > latest

  // Compared as unsigned: the distance of two times may exceed a long.
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

/** Times that are doubles: a session ends at its last time plus the gap, in double arithmetic. */
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
    throw new UnsupportedOperationException("a bound of doubles is not supported")

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
