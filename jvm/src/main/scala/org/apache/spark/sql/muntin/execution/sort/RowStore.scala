package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.sorting.ItemOrder
import org.apache.spark.sql.muntin.execution.rows.RowBatch

/**
 * Stores rows while they are sorted, each at an address of 32 bits. Rows with equal numbers are
 * compared, if numbers do not determine the order.
 */
private[execution] abstract class RowStore extends ItemOrder {

  /** Returns true if nothing can be added: then any row may be the last. */
  def isFull: Boolean

  /**
   * Copies the rows at the addresses from `first` on, up to `until`, as many as fit. Returns the
   * first index that was not copied.
   */
  def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int

  /** Copies rows with `fields` reserved fields from now on. */
  def reserveFields(fields: Int): Unit

  /** Releases the memory. */
  def free(): Unit
}
