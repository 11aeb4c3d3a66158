package io.muntin.kernel.extremes

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, SavableState}
import io.muntin.kernel.columns.{Column, FindsExtremes, LongColumn}

/**
 * The extreme of a frame that only grows: SlidingExtreme's result with two cells instead of a ring.
 *
 * If many rows enter together and their values are numbers, one pass over the values finds the
 * extreme, which is copied once. Cost per row: one comparison. Guarded by ExtremeSuite.
 */
final class RunningExtreme(order: Column, source: Column, sign: Int, latest: Boolean)
    extends Pick
    with SavableState {
  private val bestOrder = order.cells(1)
  override val values: Column = if (source eq order) bestOrder else source.cells(1)
  private var found = false
  private val toReplace = if (latest) 0 else 1

  // Values that compare as equal may differ: 0.0 and -0.0, strings of a collation.
  override def takesAnyOrder: Boolean = (source eq order) && order.isInstanceOf[LongColumn]

  override def save(out: DataOutput): Unit = {
    out.writeBoolean(found)
    if (found) {
      bestOrder.save(0L, out)
      if (source ne order) values.save(0L, out)
    }
  }

  override def restore(in: DataInput): Unit = {
    found = in.readBoolean()
    if (found) {
      bestOrder.restore(0L, in)
      if (source ne order) values.restore(0L, in)
    }
  }

  override def clear(): Unit = found = false

  /**
   * Adds a few rows without a loop: many windows have one or two. HotSpot's compiler may remove a
   * check from a loop as always true. In the end it does not learn that the check may fail, and
   * each start of a loop costs a few microseconds.
   */
  override def enter(from: Long, until: Long): Unit =
    if (until - from > 4L) enterMany(from, until)
    else if (from < until) {
      enter(from)
      if (from + 1L < until) enter(from + 1L)
      if (from + 2L < until) enter(from + 2L)
      if (from + 3L < until) enter(from + 3L)
    }

  private def enterMany(from: Long, until: Long): Unit = order match {
    case numbers: FindsExtremes =>
      val best = numbers.extreme(from, until, sign, latest)
      if (best >= 0L) enter(best)
    case _ =>
      var p = from
      while (p < until) {
        enter(p)
        p += 1
      }
  }

  private def enter(p: Long): Unit =
    if (!order.isNull(p) && (!found || sign * order.compareTo(p, bestOrder, 0L) >= toReplace)) {
      // The order last: if memory for the value is refused, the row can be entered again.
      if (source ne order) values.set(0L, source, p)
      bestOrder.set(0L, order, p)
      found = true
    }

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def position: Long = if (found) 0L else Pick.None

  override def close(): Unit = {
    bestOrder.close()
    if (source ne order) values.close()
  }
}

object RunningExtreme {

  /** `ofValues`: true if the rows are ordered by the value itself. */
  def abilities(ofValues: Boolean, isLong: Boolean): Abilities =
    Abilities("running extreme", saves = true, anyOrder = ofValues && isLong)
}
