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

  /** The name of the metric that counts an operator's output rows. */
  val OutputRows: String = "numOutputRows"

  /** Returns the metrics of an operator that only counts its output rows. */
  def ofRows(context: SparkContext): Map[String, SQLMetric] =
    Map(OutputRows -> SQLMetrics.createMetric(context, "number of output rows"))

  /** Returns the metrics that an operator of windows declares. */
  def declared(context: SparkContext): Map[String, SQLMetric] = ofRows(context) ++ Map(
    "duration" -> SQLMetrics.createNanoTimingMetric(context, "duration"),
    "spillSize" -> SQLMetrics.createSizeMetric(context, "spill size"),
    "peakMemory" -> SQLMetrics.createSizeMetric(context, "peak memory")
  )

  def apply(metrics: Map[String, SQLMetric]): OperatorMetrics =
    OperatorMetrics(
      metrics(OutputRows),
      metrics("duration"),
      metrics("spillSize"),
      metrics("peakMemory")
    )
}
