package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.math.BigInteger

import io.muntin.kernel.SavableState

/**
 * An accumulator of exact sums over the same rows. Its whole state is the count and the sums: a
 * partial has a field for each, and a stream writes them one after the other. The bytes of each sum
 * are the same in both.
 *
 * Guarded by PartialSumSuite, SumBytesSuite and SavableStateSuite.
 */
trait ExactSums extends Prefixed with SavableState {

  /** Returns the number of non-null values, or pairs. */
  def count: Long

  final def isEmpty: Boolean = count == 0L

  /** The kind of each sum; decimals are unscaled integers. */
  private[kernel] def kinds: Seq[ChunkSum.Kind]

  /** Copies the `i`-th sum to `target`, a sum of the same kind. */
  def keep(i: Int, target: ChunkSum): Unit

  /**
   * Restores `count` values with their saved sums. `saved` may have more sums than this
   * accumulator, which uses the first of them.
   */
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
