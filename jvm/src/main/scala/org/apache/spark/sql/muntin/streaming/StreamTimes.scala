package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.types.{Metadata, MetadataBuilder, StructType}

/** What is known of a stream's row times. */
object StreamTimes {

  /** An operator that has to be below a stateful operator runs elsewhere. */
  private[streaming] def unknown(operator: SparkPlan): Nothing = throw new IllegalStateException(
    s"${operator.nodeName} does not know how far time has come: it runs below MuntinStream " +
      s"alone, in a micro-batch that Spark has planned\n$operator"
  )

  /** Whether the column has a watermark. */
  def isMarked(column: Attribute): Boolean = column.metadata.contains(EventTimeWatermark.delayKey)

  /** Whether the column or a field of it has a watermark. */
  def hasMark(column: Attribute): Boolean = isMarked(column) || (column.dataType match {
    case struct: StructType =>
      struct.exists(_.metadata.contains(EventTimeWatermark.delayKey))
    case _ => false
  })

  /**
   * Whether the column has a watermark in the query over these rows: the schema of a file may have
   * the mark of another query's.
   */
  def hasWatermark(column: Attribute, rows: LogicalPlan): Boolean =
    isMarked(column) && rows.exists(_.isInstanceOf[EventTimeWatermark])

  /** The metadata of a column that is not the watermark of what comes out. */
  def withoutMark(metadata: Metadata): Metadata =
    new MetadataBuilder().withMetadata(metadata).remove(EventTimeWatermark.delayKey).build()
}
