package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark

/** What is known of a stream's row times. */
object StreamTimes {

  /** Whether the column has a watermark. */
  def isMarked(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)
}
