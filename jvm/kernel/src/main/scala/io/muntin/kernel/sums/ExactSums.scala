package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.math.BigInteger

import io.muntin.kernel.SavableState

/**
 * An accumulator of exact sums over the same rows. The count and the sums are its whole state: a
 * partial has a field for each, a stream writes one after the other, each sum as the same bytes.
 *
 * Guarded by PartialSumSuite, SumBytesSuite and SavableStateSuite.
 */
trait ExactSums extends Prefixed with SavableState {

  /** How many values, or pairs, are there that are not null. */
  def count: Long

  final def isEmpty: Boolean = count == 0L

  /** What each of the sums is of; decimals are integers, unscaled. */
  private[kernel] def kinds: Seq[ChunkSum.Kind]

  /** Gives the `i`-th of the sums to `target`, a sum of the same kind. */
  def keep(i: Int, target: ChunkSum): Unit

  /** Becomes `count` values of the first of these sums, as many as it has itself. */
  def restore(count: Long, saved: Array[ChunkSum]): Unit

  final override def save(out: DataOutput): Unit = {
    out.writeLong(count)
    kinds.indices.foreach { i =>
      val sum = ChunkSum(kinds(i))
      keep(i, sum)
      sum.save(out)
    }
  }

  final override def restore(in: DataInput): Unit = {
    val rows = in.readLong()
    val saved = kinds.map { kind =>
      val sum = ChunkSum(kind)
      sum.restore(in)
      sum
    }
    restore(rows, saved.toArray)
  }
}

/** The exact sum of integers. */
trait WholeSum extends ExactSums {
  def bigInteger: BigInteger

  final override private[kernel] def kinds: Seq[ChunkSum.Kind] = WholeSum.Kinds
}

private object WholeSum {
  val Kinds: Seq[ChunkSum.Kind] = Seq(ChunkSum.FixedPoint(0))
}
