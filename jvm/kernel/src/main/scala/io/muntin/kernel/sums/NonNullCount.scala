package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, SavableState}
import io.muntin.kernel.columns.{Column, LongColumn}

/**
 * The number of non-null values of a column in a frame.
 *
 * Cost per row: one check of a flag; none if the column has no nulls. Guarded by NonNullCountSuite.
 */
final class NonNullCount(column: Column) extends Prefixed with SavableState {
  private var present = 0L

  def count: Long = present

  override def save(out: DataOutput): Unit = out.writeLong(present)

  override def restore(in: DataInput): Unit = present = in.readLong()

  override private[kernel] def write(to: LongColumn): Unit = to.append(present)

  override private[kernel] def read(written: LongColumn, at: Long): Unit = present = written(at)

  override private[kernel] def take(written: LongColumn, at: Long): Unit = present -= written(at)

  override def clear(): Unit = present = 0L

  override def enter(from: Long, until: Long): Unit = present += presentIn(from, until)

  override def leave(from: Long, until: Long): Unit = present -= presentIn(from, until)

  override def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit =
    present += presentIn(end, newEnd) - presentIn(start, newStart)

  private def presentIn(from: Long, until: Long): Long =
    if (column.isNullable) {
      var n = 0L
      var p = from
      while (p < until) {
        if (!column.isNull(p)) n += 1
        p += 1
      }
      n
    } else until - from
}

object NonNullCount {
  val abilities: Abilities = Abilities.group("exact count")
}
