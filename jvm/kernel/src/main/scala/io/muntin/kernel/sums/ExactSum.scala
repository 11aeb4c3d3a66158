package io.muntin.kernel.sums

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}

/**
 * The correctly rounded sum and mean of the doubles in a frame: the doubles nearest to the exact
 * sum and the exact mean of these rows.
 *
 * Cost per row: as ChunkSum. Guarded by ExactSumSuite.
 */
final class ExactSum(column: DoubleColumn) extends ExactSums {
  private val values = ChunkSum(ChunkSum.FloatingPoint(1))
  private var present = 0L

  override def count: Long = present

  def sum: Double = divided(1L)

  /** Call it only if the frame is not empty. */
  def mean: Double = divided(present)

  private def divided(divisor: Long): Double = {
    if (values.isDue) values.normalize()
    values.mean(divisor)
  }

  override private[kernel] def kinds: Seq[ChunkSum.Kind] = ExactSum.Kinds

  override def keep(i: Int, target: ChunkSum): Unit = target.copyFrom(values)

  override def restore(count: Long, saved: Array[ChunkSum]): Unit = {
    present = count
    values.copyFrom(saved(0))
  }

  override private[kernel] def write(to: LongColumn): Unit = {
    to.append(present)
    values.write(to)
  }

  override private[kernel] def read(written: LongColumn, at: Long): Unit = {
    clear()
    present = written(at)
    values.change(written, at + 1L, 0L): Unit
  }

  override private[kernel] def take(written: LongColumn, at: Long): Unit = {
    present -= written(at)
    values.change(written, at + 1L, -1L): Unit
  }

  override def clear(): Unit = {
    present = 0L
    values.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        values.add(column(p))
        present += 1
      }
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        values.subtract(column(p))
        present -= 1
      }
      p += 1
    }
  }

  override def slide(start: Long, newStart: Long, end: Long, newEnd: Long): Unit = {
    var out = start
    var in = end
    while (out < newStart && in < newEnd) {
      if (column.isNull(out) || column.isNull(in)) {
        leave(out, out + 1L)
        enter(in, in + 1L)
      } else values.replace(column(out), column(in))
      out += 1
      in += 1
    }
    leave(out, newStart)
    enter(in, newEnd)
  }
}

object ExactSum {
  val abilities: Abilities = Abilities.group("exact sum")

  private val Kinds: Seq[ChunkSum.Kind] = Seq(ChunkSum.FloatingPoint(1))
}
