package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.SavableState
import io.muntin.kernel.fields.{FieldAxis, FieldTrack}

/**
 * The windows of a group along the values of a field. The group's rows are sorted by the field. A
 * window opens when its start is reached. It has a result at its close and at earlier points; after
 * a gap, and at the first row, only some windows open (FieldSteps). A result contains the window's
 * rows before its point. Windows and results without a row are not emitted.
 *
 *     size 10, advance 5, field 3 8 12       [0, 10): 3 8     [5, 15): 8 12
 *
 * A point is ready when a row at or beyond it has arrived in any group: `axis` has the greatest
 * value of all groups, or on a stream the bound. Windows not closed by a row are emitted at the end
 * with `drain`.
 *
 * Cost per row: one in, one out, and two comparisons per window. Source: StreamBase's field
 * dimension. Guarded by FieldMotionSuite.
 */
final class FieldMotion(axis: FieldAxis, track: FieldTrack, drain: Boolean) extends StretchMotion {
  private var windows = 0L
  private var drains = drain
  private var isOpen = false
  private var isAnswered = false
  private var isReported = false
  // True if rows have passed since the last window opened.
  private var hasPassed = false
  private var lower = 0L
  private var upper = 0L
  private var arrivals = 0L
  // Only windows that open in this range have results.
  private var from = Long.MinValue
  private var until = Long.MaxValue

  // Otherwise a window's rows enter in order, and leave all at once.
  override val evicts: Boolean = FieldMotion.evicts(track)

  override def floor: Long =
    if (track.overlaps) math.min(start, lower) else if (readsFrame) start else upper

  override def startPartition(first: Long): Unit = {
    super.startPartition(first)
    axis.startPartition()
    drains = drain
    windows = 0L
    isOpen = false
    isAnswered = false
    hasPassed = false
    lower = first
    upper = first
    arrivals = first
    between(Long.MinValue, Long.MaxValue)
  }

  override def between(from: Long, until: Long): Unit = {
    this.from = from
    this.until = until
  }

  override lazy val saves: Boolean =
    !track.overlaps && driven.forall(_.isInstanceOf[SavableState])

  override def save(out: DataOutput): Unit = {
    super.save(out)
    out.writeLong(windows)
    out.writeBoolean(isOpen)
    out.writeBoolean(hasPassed)
    out.writeLong(lower)
    out.writeLong(upper)
    axis.save(out)
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    super.resume(in, isSaved)
    windows = in.readLong()
    isOpen = in.readBoolean()
    hasPassed = in.readBoolean()
    lower = in.readLong()
    upper = in.readLong()
    axis.resume(in)
  }

  override def raiseBound(bound: Long): Unit = axis.raiseBound(bound)

  override def end(newest: Long): Unit = {
    axis.raiseBound(newest)
    drains = true
  }

  override def oldestNeeded: Long = if (saves) floor else lower

  override def wakeUpTime: Long = if (isOpen) axis.readyAt else axis.afterGap

  override def isDone: Boolean = !isOpen && lower == arrivals && axis.isAfterGap

  override def arrive(arrived: Long): Unit = {
    axis.check(arrived - 1L)
    arrivals = arrived
  }

  override def next(arrived: Long, ended: Boolean): Boolean = {
    while (true) {
      if (isAnswered) toNext()
      if (!isOpen && !find(arrived)) return false
      while (upper < arrived && axis.isBeforePoint(upper)) {
        if (!track.overlaps) axis.pass(upper)
        upper += 1L
      }
      val isBelowBound = axis.isBelowBound
      if (upper == arrived && !ended && !isBelowBound) {
        if (!track.overlaps) moveTo(lower, upper)
        return false
      }
      isReported = upper < arrived || isBelowBound || axis.isReached
      isAnswered = true
      if (
        lower < upper && (isReported || (drains && axis.isLast)) && axis.opensBetween(from, until)
      ) {
        moveTo(lower, upper)
        return true
      }
    }
    false
  }

  private def toNext(): Unit = {
    isAnswered = false
    if (axis.isLast || track.point != 0) isOpen = false
    else if (isReported) axis.toPoint(axis.point + 1L)
    else axis.toClose()
  }

  /** Finds the track's next window and its first row. Returns false if the row has not arrived. */
  private def find(arrived: Long): Boolean = {
    while (!isOpen) {
      if (!track.overlaps) {
        if (lower < upper) hasPassed = true
        lower = upper
      } else if (windows > 0L) {
        while (lower < arrived && !axis.reachesNext(lower)) {
          axis.pass(lower)
          lower += 1L
          hasPassed = true
        }
      }
      if (lower == arrived) return false
      if (windows == 0L || (hasPassed && axis.isGap(lower))) axis.openFirst(lower)
      else axis.openNext()
      hasPassed = false
      isOpen = windows % track.lanes == track.lane
      windows += 1L
    }
    upper = math.max(upper, lower)
    if (track.point == 0) axis.toPointAfter(lower) else axis.toPoint(track.point.toLong)
    true
  }
}

object FieldMotion {

  /** Returns true if rows leave the windows of the track one by one. */
  def evicts(track: FieldTrack): Boolean = track.overlaps && track.lanes == 1
}
