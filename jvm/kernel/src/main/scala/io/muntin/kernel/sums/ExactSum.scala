package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, Replacing, Saved}
import io.muntin.kernel.columns.DoubleColumn

/**
 * The correctly rounded sum and mean of the doubles in a frame: the doubles nearest to the exact
 * sum and the exact mean of exactly these rows.
 *
 * Cost per row: that of a Superaccumulator. Guarded by ExactSumSuite.
 */
final class ExactSum(column: DoubleColumn) extends Replacing with Saved {
  private val values = new Superaccumulator

  /** How many values are in the frame that are not null. */
  def count: Long = values.count

  def isEmpty: Boolean = count == 0L

  def sum: Double = values.sum

  /** Asked where the frame is not empty. */
  def mean: Double = values.mean(count)

  override def anyOrder: Boolean = true

  override def readsFrame: Boolean = false

  /** Becomes `count` values of this sum, to be read. */
  def restore(count: Long, sum: CompactSum): Unit = {
    val settled = sum.settled()
    values.restore(count, settled, Span.of(settled, 1, 3))
  }

  /** Gives the sum to `target`, a sum of doubles. */
  def keep(target: CompactSum): Unit = values.keep(target)

  override def save(out: DataOutput): Unit = {
    val sum = CompactSum(CompactSum.FloatingPoint(1))
    keep(sum)
    out.writeLong(count)
    sum.save(out)
  }

  override def restore(in: DataInput): Unit = {
    val values = in.readLong()
    restore(values, CompactSum.restored(CompactSum.FloatingPoint(1), in))
  }

  override def clear(): Unit = values.clear()

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) values.add(column(p))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) values.subtract(column(p))
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
  val abilities: Abilities = Abilities("exact sum", saves = true, anyOrder = true, follows = true)
}
