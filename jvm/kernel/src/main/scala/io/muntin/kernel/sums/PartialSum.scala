package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, OrderInsensitive, SavableState}
import io.muntin.kernel.columns.{DoubleColumn, ObjectColumn}

/**
 * The exact sum of the partial sums in a frame, which are ChunkSum's bytes: a partial that enters
 * is added chunk by chunk, and a partial that leaves is subtracted without a trace.
 *
 * NaN and the infinities are counted, so they leave with their partials.
 *
 * A partial that is exactly a double, or the sum of two doubles, may be in `doubles`: then it has
 * no bytes. `invalidPartial` creates the error of a partial that the sum cannot hold.
 *
 * Cost per row: two merges of a ChunkSum. Guarded by PartialSumSuite.
 */
final class PartialSum(
    column: ObjectColumn,
    kind: ChunkSum.Kind,
    doubles: Option[(DoubleColumn, DoubleColumn)] = None,
    invalidPartial: IllegalArgumentException => RuntimeException = identity
) extends OrderInsensitive
    with SavableState {
  private val first = doubles.map(_._1).orNull
  private val second = doubles.map(_._2).orNull
  private val total = ChunkSum(kind)

  /** Returns the sum, for reading. */
  def sum: ChunkSum = total

  override def save(out: DataOutput): Unit = total.save(out)

  override def restore(in: DataInput): Unit = total.restore(in)

  override def clear(): Unit = total.clear()

  override def enter(from: Long, until: Long): Unit =
    try add(from, until)
    catch { case e: IllegalArgumentException => throw invalidPartial(e) }

  private def add(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (first != null && !first.isNull(p)) {
        total.add(first(p))
        if (!second.isNull(p)) total.add(second(p))
      } else if (!column.isNull(p)) change(column(p).asInstanceOf[Array[Byte]], 0L)
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (first != null && !first.isNull(p)) {
        total.subtract(first(p))
        if (!second.isNull(p)) total.subtract(second(p))
      } else if (!column.isNull(p)) change(column(p).asInstanceOf[Array[Byte]], -1L)
      p += 1
    }
  }

  private def change(bytes: Array[Byte], sign: Long): Unit = SumBytes.add(total, bytes, sign)
}

object PartialSum {
  val abilities: Abilities =
    Abilities("exact sums of partials", saves = true, anyOrder = true, follows = true)
}
