package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/** What is known of a stream's row times. */
object StreamTimes {

  /** Whether the column has a watermark. */
  def isMarked(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)

  /** The metadata of a column whose watermark is not that of what comes out. */
  def withoutMark(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(EventTimeWatermark.delayKey).build()
}
