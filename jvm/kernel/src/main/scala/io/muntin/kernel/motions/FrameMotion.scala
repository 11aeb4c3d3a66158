package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * The motion of a standard frame: for each row of a partition, in order, it determines which rows
 * enter and which leave. It works for every pair of edges: sliding, growing, shrinking, whole, off
 * to one side, empty.
 *
 * A row's frame is ready when no later row can move its upper edge: at once if the frame ends at or
 * before the row; else when the following rows of the frame have arrived, or the partition has
 * ended.
 *
 * If a frame shares no row with the previous frame, blocks of rows begin at the frame's start. So
 * the blocks depend only on the frames, not on their place in the partition.
 *
 * If a partition is split into chunks, the rows before and after a chunk may be passed in any order
 * (`precede`, `follow`): rows that are in every frame of the chunk enter once.
 *
 * With `inside`, a row has a result only if its frame is complete: `ROWS 2 PRECEDING` has no result
 * at the partition's first two rows.
 *
 * Cost per row: two edge searches, each amortised one step. Guarded by FrameMotionSuite, against
 * frames computed from the definition.
 */
final class FrameMotion(lower: Edge, upper: Edge, inside: CompleteFrames = CompleteFrames.Always)
    extends RowMotion {
  override val evicts: Boolean = lower ne UnboundedStart

  override val isImmediate: Boolean = upper.isImmediate && inside.isImmediate

  /**
   * True if rows enter as they arrive, because every frame of the partition contains the
   * partition's last row.
   */
  private val eager: Boolean = upper eq UnboundedEnd

  private var lo = 0L
  private var hi = 0L
  private var upperEnd = 0L
  private var origin = 0L
  private var followers = 0L
  private var current = -1L
  private var arrivals = 0L
  private var complete = true
  private var isBoundKnown = false

  override def hasResult: Boolean = complete

  override def start: Long = lo

  override def end: Long = hi

  override def following: Long = followers

  override def floor: Long = {
    val oldest = if (evicts) lo else hi
    if (lower.readsKeys || upper.readsKeys) math.min(oldest, math.max(current, 0L)) else oldest
  }

  override def startPartition(first: Long): Unit = {
    lo = 0L
    followers = 0L
    clear()
    arriveNext(first)
  }

  override def arriveNext(first: Long): Unit = {
    moveTo(first)
    arrivals = first
    isBoundKnown = false
    lower.startPartition(first)
    upper.startPartition(first)
    begin(first)
  }

  /** Continues with the frames from `row` on, which contain no row that has arrived. */
  private def moveTo(row: Long): Unit = {
    if (evicts) lo = row
    hi = row
    upperEnd = row
    current = row - 1L
  }

  private def begin(at: Long): Unit = {
    origin = at
    align(at)
  }

  override def origins: Seq[Long] = if (hasBlocks) Seq(origin) else Nil

  // An empty frame does not share a row with the next frame: blocks start again with the next
  // frame.
  override def resume(origins: Seq[Long]): Unit = if (lo < hi) origins.foreach(begin)

  override def precede(until: Long): Unit = {
    if (!evicts) enter(hi, until)
    moveTo(until)
  }

  override def follow(until: Long): Unit = {
    if (eager) {
      if (evicts) follow(hi, until) else enter(hi, until)
      followers += until - hi
    }
    moveTo(until)
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(hi)
    out.writeLong(current)
  }

  override def resume(in: DataInput): Unit = {
    hi = in.readLong()
    upperEnd = hi
    current = in.readLong()
  }

  override def setBound(isKnown: Boolean): Unit = {
    if (isBoundKnown && !isKnown) {
      lower.forget()
      upper.forget()
    }
    isBoundKnown = isKnown
  }

  override def oldestNeeded(arrived: Long): Long =
    if (evicts) math.min(lower.seek(lo, arrived, arrived), arrived) else hi

  override def arrive(arrived: Long): Unit = {
    arrivals = arrived
    if (eager && hi < arrived) {
      enter(hi, arrived)
      hi = arrived
      upperEnd = arrived
    }
  }

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = {
    upperEnd = upper.seek(upperEnd, row, arrived)
    ended || (inside.isKnown(row, arrived) && !isOpen(row, arrived))
  }

  private def isOpen(row: Long, arrived: Long): Boolean =
    if (isBoundKnown) upper.isOpenBefore(upperEnd, row, arrived)
    else upper.isOpen(upperEnd, row, arrived)

  override def advance(row: Long): Boolean = {
    val newLo = math.min(lower.seek(lo, row, upperEnd), upperEnd)
    val changed = newLo != lo || upperEnd != hi || row == 0L
    if (newLo >= hi) {
      if (hi > lo) { if (followers > 0L) leave(lo, hi) else clear() }
      begin(newLo)
      enter(newLo, upperEnd)
    } else if (newLo > lo && upperEnd > hi) {
      slide(lo, newLo, hi, upperEnd)
    } else {
      if (newLo > lo) leave(lo, newLo)
      if (upperEnd > hi) enter(hi, upperEnd)
    }
    lo = newLo
    hi = upperEnd
    current = row
    complete = inside.holds(row, arrivals)
    changed
  }
}
