package io.muntin.kernel.sums

import io.muntin.kernel.columns.LongColumn

/**
 * The numbers of NaN and of infinities in a sum, and the sum while there are any.
 *
 * Guarded by ChunkSumSuite and PartialSumSuite.
 */
private[sums] final class NonFinite {
  import NonFinite._

  private var nans = 0L
  private var positives = 0L
  private var negatives = 0L

  def count: Long = nans + positives + negatives

  /** The kinds that occur, as in the bytes of a sum. */
  def flags: Int =
    (if (nans != 0L) NaNs else 0) | (if (positives != 0L) Positives else 0) |
      (if (negatives != 0L) Negatives else 0)

  /** Call it only if there are any. */
  def sum: Double =
    if (nans != 0L || (positives != 0L && negatives != 0L)) Double.NaN
    else if (positives != 0L) Double.PositiveInfinity
    else Double.NegativeInfinity

  /** Adds `value`, NaN or infinite, if `by` is 1, or removes it if `by` is -1. */
  def change(value: Double, by: Long): Unit =
    if (value.isNaN) nans += by else if (value > 0.0) positives += by else negatives += by

  /** Adds or removes one of each kind in `flags`. */
  def change(flags: Int, by: Long): Unit = {
    if ((flags & NaNs) != 0) nans += by
    if ((flags & Positives) != 0) positives += by
    if ((flags & Negatives) != 0) negatives += by
  }

  def add(other: NonFinite): Unit =
    set(nans + other.nans, positives + other.positives, negatives + other.negatives)

  def copyFrom(other: NonFinite): Unit = set(other.nans, other.positives, other.negatives)

  def write(to: LongColumn): Unit = {
    to.append(nans)
    to.append(positives)
    to.append(negatives)
  }

  /**
   * Adds the written counts if `direction` is 0, or subtracts them if it is -1. Returns the
   * position after them.
   */
  def change(written: LongColumn, at: Long, direction: Long): Long = {
    def one(i: Long) = (written(at + i) ^ direction) - direction
    set(nans + one(0L), positives + one(1L), negatives + one(2L))
    at + 3L
  }

  private def set(nans: Long, positives: Long, negatives: Long): Unit = {
    this.nans = nans
    this.positives = positives
    this.negatives = negatives
  }
}

private[sums] object NonFinite {

  /** Shared by most sums; immutable. */
  val None = new NonFinite

  final val NaNs = 2
  final val Positives = 4
  final val Negatives = 8
  final val All = NaNs | Positives | Negatives
}
