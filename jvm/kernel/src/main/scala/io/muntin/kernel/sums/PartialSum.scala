package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

import io.muntin.kernel.{Abilities, Accumulator, Saved}
import io.muntin.kernel.columns.ObjectColumn

/**
 * The exact sum of the partials of sums in a frame, which come as CompactSum's bytes: what enters is
 * added chunk by chunk, what leaves is taken away again and leaves no trace.
 *
 * NaN and the infinities are counted, so that they go when the partials that had them have gone.
 *
 * Cost per row: that of two merges of a CompactSum. Guarded by PartialSumSuite.
 */
class PartialSum(column: ObjectColumn, kind: CompactSum.Kind) extends Accumulator with Saved {
  import CompactSum.{NaNs, NegativeInfinities, PositiveInfinities}

  private val total = CompactSum(kind)
  private var nans = 0L
  private var positiveInfinities = 0L
  private var negativeInfinities = 0L

  /** The sum now, to be read. */
  def sum: CompactSum = total

  override def anyOrder: Boolean = true

  override def readsFrame: Boolean = false

  override def save(out: DataOutput): Unit = {
    out.writeLong(nans)
    out.writeLong(positiveInfinities)
    out.writeLong(negativeInfinities)
    total.save(out)
  }

  override def restore(in: DataInput): Unit = {
    clear()
    nans = in.readLong()
    positiveInfinities = in.readLong()
    negativeInfinities = in.readLong()
    total.merge(CompactSum.restored(kind, in).toBytes)
  }

  override def clear(): Unit = {
    total.clear()
    nans = 0L
    positiveInfinities = 0L
    negativeInfinities = 0L
  }

  /** Throws IllegalArgumentException where the sum cannot hold what a partial says. */
  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) change(column(p).asInstanceOf[Array[Byte]], 0L)
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) change(column(p).asInstanceOf[Array[Byte]], -1L)
      p += 1
    }
    total.trim()
  }

  private def change(bytes: Array[Byte], sign: Long): Unit = {
    total.change(bytes, sign)
    val special = CompactSum.special(bytes)
    if (special != 0) count(special, 1L + 2L * sign)
  }

  private def count(special: Int, change: Long): Unit = {
    if ((special & NaNs) != 0) nans += change
    if ((special & PositiveInfinities) != 0) positiveInfinities += change
    if ((special & NegativeInfinities) != 0) negativeInfinities += change
    total.setSpecial(
      (if (nans != 0L) NaNs else 0) |
        (if (positiveInfinities != 0L) PositiveInfinities else 0) |
        (if (negativeInfinities != 0L) NegativeInfinities else 0)
    )
  }
}

object PartialSum {
  val abilities: Abilities =
    Abilities("exact sums of partials", saves = true, anyOrder = true, follows = true)
}
