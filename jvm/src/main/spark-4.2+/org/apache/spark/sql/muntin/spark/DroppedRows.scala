package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.streaming.StateOperatorProgress

/** Late rows in the progress of an operator with state. */
private[spark] object DroppedRows {
  def add(more: Long, own: StateOperatorProgress): StateOperatorProgress =
    own.copy(own.numRowsUpdated, own.numRowsDroppedByWatermark + more, own.numRowsRemoved)
}
