package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.spark.sql.execution.SparkPlan

/** The micro-batch in which an operator with state runs. */
final class MicroBatch private () extends Serializable {
  def isUpdate: Boolean = Streams.refused

  def isEnd: Boolean = Streams.refused

  def isFirst: Boolean = Streams.refused

  def times: MicroBatch.Times = Streams.refused

  def operator: Long = Streams.refused

  def number: Long = Streams.refused

  def query: UUID = Streams.refused

  def operators: SparkPlan = Streams.refused

  def isTop: Boolean = Streams.refused
}

object MicroBatch {

  /** In milliseconds, as Spark has them. */
  final case class Times(
      lateWatermark: Long,
      watermark: Long,
      clock: Long,
      isFinite: Boolean,
      isLast: Boolean
  )
}
