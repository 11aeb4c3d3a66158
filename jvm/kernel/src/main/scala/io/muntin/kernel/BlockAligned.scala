package io.muntin.kernel

/**
 * An accumulator that merges blocks of rows. Blocks are counted from a row, the origin: the origin
 * decides which rows are merged with which, and so, where merging rounds, the last bits.
 */
trait BlockAligned extends Accumulator {

  /** Blocks begin at the row `origin`. Called while no block has been made. */
  def align(origin: Long): Unit
}
