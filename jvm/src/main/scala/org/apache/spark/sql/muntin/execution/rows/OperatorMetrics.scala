package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.SparkContext
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/** The metrics of an operator's tasks in Spark's UI. */
final case class OperatorMetrics(
    outputRows: SQLMetric,
    duration: SQLMetric,
    spillSize: SQLMetric,
    peakMemory: SQLMetric
) {

  /** Adds the peak memory of a task, and the bytes that it has spilled. */
  def add(peakBytes: Long, spilledBytes: Long): Unit = {
    peakMemory += peakBytes
    spillSize += spilledBytes
  }
}

object OperatorMetrics {

  /** Returns the metrics that an operator declares. */
  def declared(context: SparkContext): Map[String, SQLMetric] = Map(
    "numOutputRows" -> SQLMetrics.createMetric(context, "number of output rows"),
    "duration" -> SQLMetrics.createNanoTimingMetric(context, "duration"),
    "spillSize" -> SQLMetrics.createSizeMetric(context, "spill size"),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory")
  )

  def apply(metrics: Map[String, SQLMetric]): OperatorMetrics =
    OperatorMetrics(
      metrics("numOutputRows"),
      metrics("duration"),
      metrics("spillSize"),
      metrics("peakMemory")
    )
}
