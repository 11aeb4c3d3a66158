package org.apache.spark.sql.muntin.execution.sort

import io.muntin.kernel.sorting.ItemOrder
import org.apache.spark.sql.muntin.execution.rows.RowBatch

/**
 * Where rows lie while they are sorted, each at an address of 32 bits. Rows whose numbers are equal
 * are compared, where numbers do not say all.
 */
private[execution] abstract class RowStore extends ItemOrder {

  /** Whether nothing can be added: then any row may be the last. */
  def isFull: Boolean

  /**
   * Copies the rows at the addresses from `first` on, up to `until`, as many as there is room for;
   * the first that is not copied.
   */
  def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int

  /** Copies rows with `fields` reserved fields from now on. */
  def reserveFields(fields: Int): Unit

  /** Gives the memory back. */
  def free(): Unit
}
