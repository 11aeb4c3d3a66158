package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.LongColumn

/**
 * A window for each tick from the first at or after the group's first row to `last`, with or
 * without rows. It contains the rows with times in (start, end]: the end is the tick, and the start
 * is `span` ticks before it. With a span of 0, it contains all rows until the end.
 *
 * A tick's window is ready when a row with a later time has arrived, or on a stream when the bound
 * has passed the tick. A row may represent several rows with times between the same two ticks.
 *
 * Cost per row: one in, one out, a comparison for each end; per tick, two further ticks computed.
 * Source: Fenl's (Kaskada's) cron windows. Guarded by TickMotionSuite.
 */
final class TickMotion(times: LongColumn, ticks: Ticks, span: Int, last: Long)
    extends StretchMotion {
  private var begun = false
  // True if the window that ends at `tick` is still to be emitted.
  private var waiting = false
  private var tick = 0L
  private var opening = 0L
  private var upper = 0L
  // No row before it is after the opening.
  private var passed = 0L
  private var bound = Long.MinValue
  // Only windows of ticks after this tick are emitted, up to and including the last tick.
  private var after = Long.MinValue
  private var newest = last

  override def evicts: Boolean = span > 0

  override def floor: Long = if (evicts) start else end

  /** Returns the end of the current window, inclusive. */
  def closes: Long = tick

  /** Returns the start of the current window, exclusive; without meaning if rows never leave. */
  def opens: Long = opening

  override def startPartition(first: Long): Unit = {
    super.startPartition(first)
    begun = false
    waiting = false
    upper = first
    passed = first
    bound = Long.MinValue
    between(Long.MinValue, Long.MaxValue)
  }

  override def between(from: Long, until: Long): Unit = {
    after = from
    newest = math.min(last, until)
  }

  override def save(out: DataOutput): Unit = {
    super.save(out)
    out.writeBoolean(begun)
    out.writeBoolean(waiting)
    out.writeLong(tick)
    out.writeLong(opening)
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    super.resume(in, isSaved)
    begun = in.readBoolean()
    waiting = in.readBoolean()
    tick = in.readLong()
    opening = in.readLong()
    if (isSaved) upper = end
  }

  override def raiseBound(bound: Long): Unit = this.bound = bound

  override def end(newest: Long): Unit = this.newest = ticks.atOrAfter(newest)

  override def oldestNeeded: Long =
    if (!evicts) { if (saves) end else start }
    else {
      passed = math.max(passed, start)
      if (waiting) while (passed < upper && times(passed) <= opening) passed += 1
      passed
    }

  override def wakeUpTime: Long = if (waiting) tick + 1L else Long.MaxValue

  /** Ticks never end. */
  override def isDone: Boolean = !begun

  override def arrive(arrived: Long): Unit = ()

  override def next(arrived: Long, ended: Boolean): Boolean = {
    if (!waiting) waiting = if (begun) follow() else begin(arrived)
    waiting && reach(arrived, ended)
  }

  private def begin(arrived: Long): Boolean = {
    begun = arrived > 0L
    if (begun) {
      tick = ticks.atOrAfter(if (after == Long.MinValue) times(0L) else after + 1L)
      opening = tick
      var i = 0
      while (i < span && tick <= newest) {
        opening = ticks.before(opening)
        i += 1
      }
    }
    begun && tick <= newest
  }

  private def follow(): Boolean =
    // The schedule may have no ticks after the last.
    if (tick < newest) {
      val before = tick
      tick = ticks.atOrAfter(tick + 1L)
      if (evicts) opening = if (span == 1) before else ticks.atOrAfter(opening + 1L)
      tick <= newest
    } else false

  private def reach(arrived: Long, ended: Boolean): Boolean = {
    while (upper < arrived && times(upper) <= tick) upper += 1
    val isReady = upper < arrived || ended || tick < bound
    if (isReady) {
      var lower = start
      if (evicts) while (lower < upper && times(lower) <= opening) lower += 1
      moveTo(lower, upper)
      waiting = false
    }
    isReady
  }
}
