package io.muntin.kernel.motions

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.columns.{Column, LongColumn, Slots}
import io.muntin.kernel.fields.InvalidWindowRowException
import io.muntin.kernel.memory.Memory

/**
 * Windows over rows that are valid from their start until before their end. Rows enter in the order
 * of their starts and leave in the order of their ends. A row with a null end never ends; a row
 * that ends where it starts is never valid.
 *
 * Rows are stored in `slots`, so a long-lived row does not retain the memory of all later rows. The
 * first row that enters while no other is valid has number 0, and later rows continue the
 * numbering. So merges are the same whether earlier rows have been forgotten or not.
 *
 * On a stream, only the rows that are valid at the end of a micro-batch arrive again in the next.
 * On streams, times are longs.
 *
 * A row without a start, or with an end before its start, raises an InvalidWindowRowException with
 * `condition`, which valid rows satisfy.
 *
 * Cost per row: one copy of each value, one in, one out, and the cost of `Ends`. Source: snapshots
 * of Kraemer and Seeger, "Semantics and Implementation of Continuous Sliding Window Queries over
 * Data Streams" (TODS 2009), computed by a sweep over the ends as in Piatov and Helmer,
 * "Sweeping-Based Temporal Aggregation" (SSTD 2017). Guarded by ValidityMotionSuite.
 */
abstract class ValidityMotion(
    memory: Memory,
    starts: Column,
    ends: Column,
    slots: Slots,
    condition: String
) extends GroupMotion {
  protected final val until: Column = slots.column(ends)
  protected final val leaving = new Ends(memory, until)

  /** Copies of the begin and end of windows, independent of the rows. */
  protected final val times: Column = starts.cells(2)

  /** The next row to enter. */
  protected final var row = 0L

  /** On a stream: no later row starts before the bound. */
  protected final var bound: Long = Long.MinValue

  // The row whose number is 0.
  private var origin = 0L
  // Rows that end by this time have left.
  private var passed = Long.MinValue

  /** The column to which `from` and `to` refer. */
  final def bounds: Column = times

  /** Returns the position of the current window's begin. */
  def from: Long

  /**
   * Returns the position of the current window's end: null if it never ends, or if the motion does
   * not report it.
   */
  def to: Long

  override def evicts: Boolean = true

  final override def start: Long = 0L

  final override def end: Long = slots.capacity.toLong

  final override def size: Long = slots.size.toLong

  final override def floor: Long = row

  final override def startPartition(): Unit = startPartition(0L)

  override def startPartition(first: Long): Unit = {
    clear()
    slots.clear()
    leaving.clear()
    row = first
    origin = first
    bound = Long.MinValue
    passed = Long.MinValue
  }

  final override def arrive(arrived: Long): Unit = {
    val p = arrived - 1
    if (starts.isNull(p)) throw ValidityMotion.noStart(condition)
    if (!ends.isNull(p) && ends.compareTo(p, starts, p) < 0) {
      throw ValidityMotion.endsBefore(condition)
    }
  }

  override def passOver(arrived: Long): Unit = while (next(arrived, ended = false)) ()

  final override def raiseBound(bound: Long): Unit = this.bound = bound

  override def save(out: DataOutput): Unit = {
    out.writeLong(origin)
    out.writeLong(bound)
  }

  override def resume(in: DataInput, isSaved: Boolean): Unit = {
    origin = in.readLong()
    passed = in.readLong()
  }

  final override def replayRow(position: Long): Unit =
    if (ends.isNull(position) || ends.asInstanceOf[LongColumn](position) > passed) put(position)

  final override def positions: Array[Long] = {
    val there = slots.numbersThere
    var i = 0
    while (i < there.length) {
      there(i) += origin
      i += 1
    }
    there
  }

  final override def oldestNeeded: Long = row

  override def isDone: Boolean = size == 0L

  protected final def isEmptyInterval: Boolean =
    !ends.isNull(row) && ends.compareTo(row, starts, row) == 0

  /** Lets the next row enter. */
  protected final def enterNext(): Unit = {
    if (size == 0L) origin = row
    put(row)
    row += 1
  }

  private def put(position: Long): Unit = {
    val slot = slots.take(position, position - origin)
    if (!until.isNull(slot.toLong)) leaving.add(slot)
    enter(slot.toLong, slot + 1L)
  }

  /** Lets the row that ends first leave. */
  protected final def leave(): Unit = {
    val slot = leaving.take()
    leave(slot.toLong, slot + 1L)
    slots.give(slot)
  }

  /** On a stream: the time at which the next row leaves; Long.MaxValue if no row does. */
  protected final def nextEnd: Long =
    if (leaving.isEmpty) Long.MaxValue
    else until.asInstanceOf[LongColumn](leaving.first.toLong)

  override def close(): Unit = {
    super.close()
    leaving.close()
    times.close()
  }
}

object ValidityMotion {
  def noStart(condition: String): InvalidWindowRowException =
    new InvalidWindowRowException("MUNTIN_NULL_VALIDITY_START", Map("filter" -> condition))

  def endsBefore(condition: String): InvalidWindowRowException =
    new InvalidWindowRowException("MUNTIN_VALIDITY_ENDS_BEFORE_START", Map("filter" -> condition))
}
