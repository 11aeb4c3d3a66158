package io.muntin.kernel.sums

import java.math.BigInteger

import io.muntin.kernel.Saved

/**
 * An accumulator of exact sums over the same rows. Their number and the sums are all that it makes
 * of rows: a partial keeps them, and they may come back to be read.
 *
 * Guarded by PartialSumSuite and SumBytesSuite.
 */
trait ExactSums extends Prefixed with Saved {

  /** How many values, or pairs, are there that are not null. */
  def count: Long

  final def isEmpty: Boolean = count == 0L

  /** Gives the `i`-th of the sums to `target`, a sum of the same kind. */
  def keep(i: Int, target: ChunkSum): Unit

  /** Becomes `count` values of the first of these sums, as many as it has itself. */
  def restore(count: Long, kept: Array[ChunkSum]): Unit
}

/** The exact sum of integers. */
trait WholeSum extends ExactSums {
  def bigInteger: BigInteger
}
