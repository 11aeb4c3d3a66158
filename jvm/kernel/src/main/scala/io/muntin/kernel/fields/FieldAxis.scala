package io.muntin.kernel.fields

import java.io.{DataInput, DataOutput}

/**
 * The values of a field in their order, and along them one window: where it opens and closes, and
 * its current point, the end of its next result. The arithmetic of FieldMotion, for one kind of
 * number.
 *
 * A row may stand for the rows of a pane, which lies on one side of every opening, close and point:
 * then the row has the least value of the pane's rows and the greatest (`reach`).
 */
abstract class FieldAxis {

  def startPartition(): Unit

  /** Throws InvalidWindowRowException where the value at `row` has no window. */
  def check(row: Long): Unit

  /** The value at `row` has passed: `isGap` compares later values with it. */
  def pass(row: Long): Unit

  /** Whether the value at `row` is a window's size or more above all values that have passed. */
  def isGap(row: Long): Boolean

  /** Moves to the first window for `row`. No later window is open. */
  def openFirst(row: Long): Unit

  /** The window becomes the next by the windows' advance. */
  def openNext(): Unit

  /** Whether the value at `row` has reached the opening of the next window. */
  def reachesNext(row: Long): Boolean

  /** To the first point behind the value at `row`, which is in the window. */
  def toPointAfter(row: Long): Unit

  /** To the window's `number`-th point, counted from 1: its close, if there are fewer before it. */
  def toPoint(number: Long): Unit

  /** The number of the current point. */
  def point: Long

  /** To the last point: where the window closes, if it ever does. */
  def toClose(): Unit

  /** The current point is the last. */
  def isLast: Boolean

  /** Whether the value at `row` lies before the current point. */
  def isBeforePoint(row: Long): Boolean

  /**
   * Whether the window opens from `from` on, before `until`: numbers as fields of integers have
   * them.
   */
  def opensBetween(from: Long, until: Long): Boolean =
    if (from == Long.MinValue && until == Long.MaxValue) true
    else throw new UnsupportedOperationException(s"$getClass in a group that is split")

  /** Whether the greatest value of all groups has reached the current point. */
  def isReached: Boolean

  /**
   * Whether the current point comes before that of `other`, or is the same of an earlier window.
   */
  def isBefore(other: FieldAxis): Boolean

  /** From now on no value of any group is below `bound`. */
  def raiseBound(bound: Long): Unit = throw notOnStreams

  /** Whether the bound has reached the current point. */
  def isBelowBound: Boolean = false

  /** The bound from which on the current point is ready; Long.MaxValue where it never is. */
  def readyAt: Long = throw notOnStreams

  /** The bound from which on every later value lies behind a gap. */
  def afterGap: Long = throw notOnStreams

  /** Whether every later value lies behind a gap. */
  def isAfterGap: Boolean = throw notOnStreams

  /** Writes the window, the point, and the values that have passed. */
  def save(out: DataOutput): Unit = throw notOnStreams

  /** Reads what `save` wrote. */
  def resume(in: DataInput): Unit = throw notOnStreams

  private def notOnStreams = new UnsupportedOperationException(s"$getClass on a stream")
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
