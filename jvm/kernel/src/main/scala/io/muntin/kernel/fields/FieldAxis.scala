package io.muntin.kernel.fields

import java.io.{DataInput, DataOutput}

/**
 * One window along the ordered values of a field: its opening, its close, and its current point,
 * the end of its next result. The arithmetic of FieldMotion, for one kind of number.
 *
 * A row may represent a pane, which no opening, close or point divides. The row then has the least
 * and the greatest value of the pane's rows (`reach`).
 */
abstract class FieldAxis {

  def startPartition(): Unit

  /** Throws InvalidWindowRowException if the value at `row` has no window. */
  def check(row: Long): Unit

  /** Records the value at `row`, with which `isGap` compares later values. */
  def pass(row: Long): Unit

  /**
   * Returns true if the value at `row` exceeds all recorded values by the window's size or more.
   */
  def isGap(row: Long): Boolean

  /** Moves to the first window for `row`. No later window is open. */
  def openFirst(row: Long): Unit

  /** Moves to the next window, by the windows' advance. */
  def openNext(): Unit

  /** Returns true if the value at `row` has reached the opening of the next window. */
  def reachesNext(row: Long): Boolean

  /** Moves to the first point after the value at `row`, which is in the window. */
  def toPointAfter(row: Long): Unit

  /**
   * Moves to the window's `number`-th point, counted from 1, or to its close, if that is earlier.
   */
  def toPoint(number: Long): Unit

  /** The number of the current point. */
  def point: Long

  /** Moves to the last point: the window's close, if it closes. */
  def toClose(): Unit

  /** Returns true if the current point is the last. */
  def isLast: Boolean

  /** Returns true if the value at `row` is before the current point. */
  def isBeforePoint(row: Long): Boolean

  /** Returns true if the window opens in [`from`, `until`), numbers of a field of integers. */
  def opensBetween(from: Long, until: Long): Boolean =
    if (from == Long.MinValue && until == Long.MaxValue) true
    else throw new UnsupportedOperationException(s"$getClass does not support split groups")

  /** Returns true if the greatest value of all groups has reached the current point. */
  def isReached: Boolean

  /**
   * Returns true if the current point is before the current point of `other`, or equal to it with
   * an earlier window.
   */
  def isBefore(other: FieldAxis): Boolean

  /** Sets a lower bound of the later values of all groups. */
  def raiseBound(bound: Long): Unit = throw notOnStreams

  /** Returns true if the bound has reached the current point. */
  def isBelowBound: Boolean = false

  /** Returns the bound at which the current point is ready; Long.MaxValue if it never is. */
  def readyAt: Long = throw notOnStreams

  /** Returns the bound at which every later value is after a gap. */
  def afterGap: Long = throw notOnStreams

  /** Returns true if every later value is after a gap. */
  def isAfterGap: Boolean = throw notOnStreams

  /** Writes the window, the point, and the recorded values. */
  def save(out: DataOutput): Unit = throw notOnStreams

  /** Reads what `save` wrote. */
  def resume(in: DataInput): Unit = throw notOnStreams

  private def notOnStreams = new UnsupportedOperationException(s"$getClass is not for streams")
}

object FieldAxis {
  private[kernel] def tooFar(
      parameter: String,
      field: String,
      value: Any
  ): InvalidWindowRowException = new InvalidWindowRowException(
    "MUNTIN_WINDOW_FIELD_OUT_OF_RANGE",
    Map("parameter" -> parameter, "field" -> field, "value" -> String.valueOf(value))
  )
}
