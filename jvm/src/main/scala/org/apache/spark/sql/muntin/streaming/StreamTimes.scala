package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}

/** Reads watermarks from the row times of a stream. */
object StreamTimes {

  /** Fails: an operator that must run below a stateful operator runs elsewhere. */
  private[streaming] def unknown(operator: SparkPlan): Nothing = throw new IllegalStateException(
    s"${operator.nodeName} does not have a time: it can only run below MuntinStream, " +
      s"in a micro-batch that Spark has planned\n$operator"
  )

  /** Returns true if the column has a watermark. */
  def isMarked(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)

  /** Returns true if the column or a field of it has a watermark. */
  def hasMark(column: Attribute): Boolean = isMarked(column) || (column.dataType match {
    case struct: StructType =>
      struct.exists(_.metadata.contains(EventTimeWatermark.delayKey))
    case _ => false
  })

  /**
   * Returns true if the column has a watermark in the query over these rows: the schema of a file
   * may contain the mark of another query.
   */
  def hasWatermark(column: Attribute, rows: LogicalPlan): Boolean =
    isMarked(column) && rows.exists(_.isInstanceOf[EventTimeWatermark])

  /** Returns the metadata of a column without the watermark's mark. */
  def withoutMark(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(EventTimeWatermark.delayKey).build()
}
