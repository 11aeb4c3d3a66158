package org.apache.spark.sql.muntin.execution.rows

/** Rows in their order, batch by batch. */
private[execution] trait RowBatches {

  /** Whether there are rows that no batch had. */
  def hasNext: Boolean

  /** Makes the next rows, of which `hasNext` knows, the batch's. */
  def fill(batch: RowBatch): Unit
}
