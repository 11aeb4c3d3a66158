package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

/**
 * The motion of a standard frame: for each row of a partition, in order, which rows enter and which
 * leave. Holds for every pair of edges: sliding, growing, shrinking, whole, off to one side, empty.
 *
 * A row's frame can be told when its upper edge is settled: at once where the frame looks back,
 * when the rows that it looks forward to have arrived, or when the partition has ended.
 *
 * Where a frame holds no row of the one before, blocks of rows begin with it: what is merged with
 * what follows from the frames alone, wherever in the partition they lie.
 *
 * Of a part of a partition, what comes before and behind it may pass by, in any order (`precede`,
 * `follow`): frames take in what they all have in common.
 *
 * With `inside` a row is answered only if no row of its frame, as the query says it, is missing.
 *
 * Cost per row: two edges sought, each amortised one step. Guarded by FrameMotionSuite, against
 * frames found by definition.
 */
final class FrameMotion(lower: Edge, upper: Edge, inside: Inside = Inside.Always)
    extends RowMotion {
  override val evicts: Boolean = lower ne UnboundedStart

  override val isImmediate: Boolean = upper.isImmediate && inside.isImmediate

  /** Rows can be entered as they arrive, since every frame of the partition has its last row. */
  private val eager: Boolean = upper eq UnboundedEnd

  private var lo = 0L
  private var hi = 0L
  private var found = 0L
  private var origin = 0L
  private var followers = 0L
  private var current = -1L
  private var arrivals = 0L
  private var complete = true
  private var foreseen = false

  override def answers: Boolean = complete

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
    foreseen = false
    lower.startPartition(first)
    upper.startPartition(first)
    begin(first)
  }

  /** None of the rows that have arrived is before it. */
  private def moveTo(row: Long): Unit = {
    if (evicts) lo = row
    hi = row
    found = row
    current = row - 1L
  }

  private def begin(at: Long): Unit = {
    origin = at
    align(at)
  }

  override def origins: Seq[Long] = if (hasBlocks) Seq(origin) else Nil

  // A frame of which no row has come again has none in the next one either: that begins anew.
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
    found = hi
    current = in.readLong()
  }

  override def foresee(known: Boolean): Unit = {
    if (foreseen && !known) {
      lower.forget()
      upper.forget()
    }
    foreseen = known
  }

  override def kept(arrived: Long): Long =
    if (evicts) math.min(lower.seek(lo, arrived, arrived), arrived) else hi

  override def arrive(arrived: Long): Unit = {
    arrivals = arrived
    if (eager && hi < arrived) {
      enter(hi, arrived)
      hi = arrived
      found = arrived
    }
  }

  override def isReady(row: Long, arrived: Long, ended: Boolean): Boolean = {
    found = upper.seek(found, row, arrived)
    ended || (inside.isKnown(row, arrived) && !isOpen(row, arrived))
  }

  private def isOpen(row: Long, arrived: Long): Boolean =
    if (foreseen) upper.isOpenBefore(found, row, arrived) else upper.isOpen(found, row, arrived)

  override def advance(row: Long): Boolean = {
    val newLo = math.min(lower.seek(lo, row, found), found)
    val changed = newLo != lo || found != hi || row == 0L
    if (newLo >= hi) {
      if (hi > lo) { if (followers > 0L) leave(lo, hi) else clear() }
      begin(newLo)
      enter(newLo, found)
    } else if (newLo > lo && found > hi) {
      slide(lo, newLo, hi, found)
    } else {
      if (newLo > lo) leave(lo, newLo)
      if (found > hi) enter(hi, found)
    }
    lo = newLo
    hi = found
    current = row
    complete = inside.holds(row, arrivals)
    changed
  }
}
