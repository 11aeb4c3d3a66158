package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.execution.SparkPlan

/** The micro-batch in which an operator with state runs. */
final class MicroBatch private () extends Serializable {
  def isUpdate: Boolean = Streams.unsupported

  def isEnd: Boolean = Streams.unsupported

  def isFirst: Boolean = Streams.unsupported

  def times: MicroBatch.Times = Streams.unsupported

  def operator: Long = Streams.unsupported

  def number: Long = Streams.unsupported

  def query: UUID = Streams.unsupported

  def operators: SparkPlan = Streams.unsupported

  def isTop: Boolean = Streams.unsupported
}

object MicroBatch {

  /** In milliseconds, as in Spark. */
  final case class Times(
      lateWatermark: Long,
      watermark: Long,
      clock: Long,
      isFinite: Boolean,
      isLast: Boolean
  )
}
