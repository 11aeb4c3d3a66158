package io.muntin.kernel.sums

import io.muntin.kernel.columns.LongColumn

/**
 * How many of the numbers in a sum are NaN or infinite, and which: what they make of the sum while
 * there are any.
 *
 * Guarded by ChunkSumSuite and PartialSumSuite.
 */
private[sums] final class NonFinite {
  import NonFinite._

  private var nans = 0L
  private var positives = 0L
  private var negatives = 0L

  def count: Long = nans + positives + negatives

  /** Which there are, as the bytes of a sum say it. */
  def flags: Int =
    (if (nans != 0L) NaNs else 0) | (if (positives != 0L) Positives else 0) |
      (if (negatives != 0L) Negatives else 0)

  /** Asked where there are any. */
  def sum: Double =
    if (nans != 0L || (positives != 0L && negatives != 0L)) Double.NaN
    else if (positives != 0L) Double.PositiveInfinity
    else Double.NegativeInfinity

  /** `value`, NaN or infinite, comes or goes: `by` is 1 or -1. */
  def change(value: Double, by: Long): Unit =
    if (value.isNaN) nans += by else if (value > 0.0) positives += by else negatives += by

  /** One of each that `flags` says, comes or goes. */
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

  /** Adds what was written, or takes it away where `direction` is -1: the position behind it. */
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

  /** What most sums have; it is not changed. */
  val None = new NonFinite

  final val NaNs = 2
  final val Positives = 4
  final val Negatives = 8
  final val All = NaNs | Positives | Negatives
}
