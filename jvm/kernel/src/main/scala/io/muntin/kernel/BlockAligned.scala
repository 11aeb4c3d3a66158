package io.muntin.kernel

/**
 * An accumulator that merges blocks of rows. Blocks are counted from a row, the origin. The origin
 * determines which rows are merged together. If merging rounds, it affects the last bits of the
 * result.
 */
trait BlockAligned extends Accumulator {

  /** Sets the row at which blocks begin. Call it before the first block. */
  def align(origin: Long): Unit
}
