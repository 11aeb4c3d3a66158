package io.muntin.kernel

/**
 * An accumulator that merges blocks of rows. Which rows are a block is counted from an origin:
 * where it lies decides what is merged with what, and so, where merging rounds, the last bits.
 */
trait Aligned extends Accumulator {

  /** Blocks begin at the row `origin`. Nothing has been made of the rows that the frame holds. */
  def align(origin: Long): Unit
}
