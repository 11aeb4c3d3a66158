package org.apache.spark.sql.muntin.execution.rows

/** Reads rows in their order, batch by batch. */
private[execution] trait RowBatches {

  /** Returns true if there are rows that are in no batch yet. */
  def hasNext: Boolean

  /** Fills the batch with the next rows, after `hasNext`. */
  def fill(batch: RowBatch): Unit
}
