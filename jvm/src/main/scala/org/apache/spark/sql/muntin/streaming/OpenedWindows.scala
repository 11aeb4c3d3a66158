package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import scala.collection.mutable

/**
 * Tracks when the windows of a group opened, by the wall clock. `clock` is the start of the
 * micro-batch with their first rows, `until` is the end of the last of these windows.
 *
 * {{{
 *   windows of 30, closed 5 seconds after they have opened
 *   clock 100, a row at 12      open(100, 30)
 *   clock 103, a row at 41      open(103, 60)
 *   clock 105                   close(100): closed = 30, and [30, 60) stays until clock 108
 * }}}
 */
private[streaming] final class OpenedWindows {
  private val opened = mutable.ArrayBuffer.empty[(Long, Long)]
  private var closedUntil = Long.MinValue

  /** Returns the end of the windows that the clock has closed: rows below it are late. */
  def closed: Long = closedUntil

  def clear(): Unit = {
    opened.clear()
    closedUntil = Long.MinValue
  }

  /** Returns the end of the windows that are open or that the clock has closed. */
  def until: Long = opened.lastOption.fold(closedUntil)(_._2)

  /** Opens windows until `until`. Successive clocks must not decrease. */
  def open(clock: Long, until: Long): Unit = if (this.until < until) {
    if (opened.lastOption.exists(_._1 == clock)) opened.remove(opened.size - 1): Unit
    opened.append((clock, until)): Unit
  }

  /** Closes the windows that opened at this clock or before. */
  def close(clock: Long): Unit =
    while (opened.headOption.exists(_._1 <= clock))
      closedUntil = math.max(closedUntil, opened.remove(0)._2)

  /** Drops the windows that end by `bound`, which have closed without the clock. */
  def pass(bound: Long): Unit =
    while (opened.headOption.exists(_._2 <= bound)) opened.remove(0): Unit

  /** Returns the clock at which the oldest window opened; None if no window is open. */
  def oldest: Option[Long] = opened.headOption.map(_._1)

  def write(out: DataOutput): Unit = {
    out.writeLong(closedUntil)
    out.writeInt(opened.size)
    opened.foreach { case (clock, until) =>
      out.writeLong(clock)
      out.writeLong(until)
    }
  }

  def read(in: DataInput): Unit = {
    clear()
    closedUntil = in.readLong()
    (0 until in.readInt()).foreach(_ => opened.append((in.readLong(), in.readLong())))
  }
}
