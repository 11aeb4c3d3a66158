package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.Column
import io.muntin.kernel.fields.InvalidWindowRowException

/**
 * The sessions of a group: consecutive rows whose distance is at most the gap are in one window.
 *
 *     gap 10     times 3 8 18 29 30     windows 3 8 18 [3, 28)   and   29 30 [29, 40)
 *
 * A session is ready when a row of the group, or on a stream the bound, is more than a gap after
 * its last row; at the end of the group, when a row of any group is. Sessions not closed by a row
 * are emitted at the end with `drain`.
 *
 * Cost per row: one row in, and one comparison with the row before. Guarded by
 * GroupSessionMotionSuite.
 *
 * @param firsts
 *   the times of the rows, which must not be null; `field` is their name
 */
final class GroupSessionMotion(
    times: SessionTimes,
    firsts: Column,
    field: String,
    drain: Boolean
) extends StretchMotion {
  private var drains = drain
  // The rows of the session that is open, or was emitted last.
  private var lower = 0L
  private var upper = 0L
  private var arrivals = 0L
  private var isOpen = false

  override def evicts: Boolean = false

  override def floor: Long = if (readsFrame) start else upper

  override def startPartition(first: Long): Unit = {
    super.startPartition(first)
    times.clear()
    drains = drain
    lower = first
    upper = first
    arrivals = first
    isOpen = false
  }

  override def save(out: DataOutput): Unit = {
    super.save(out)
    out.writeLong(lower)
    out.writeLong(upper)
    out.writeBoolean(isOpen)
    times.save(out)
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    super.resume(in, isSaved)
    lower = in.readLong()
    upper = in.readLong()
    isOpen = in.readBoolean()
    times.resume(in)
  }

  override def raiseBound(bound: Long): Unit = times.raiseBound(bound)

  override def end(newest: Long): Unit = drains = true

  override def oldestNeeded: Long = if (saves) upper else lower

  override def wakeUpTime: Long = if (isOpen) times.passedAt else Long.MaxValue

  override def isDone: Boolean = !isOpen && upper == arrivals

  override def arrive(arrived: Long): Unit = {
    if (firsts.isNull(arrived - 1L)) throw InvalidWindowRowException.missing("time", field)
    arrivals = arrived
  }

  override def next(arrived: Long, ended: Boolean): Boolean = {
    if (!isOpen) {
      lower = upper
      if (lower == arrived) return false
      times.begin(lower)
      isOpen = true
      upper = lower + 1L
    }
    while (upper < arrived && !times.isApart(upper)) {
      times.extend(upper)
      upper += 1L
    }
    moveTo(lower, upper)
    val isReady =
      upper < arrived || times.isPassed || (ended && (drains || times.isReached))
    if (isReady) isOpen = false
    isReady
  }
}
