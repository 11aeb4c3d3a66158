package org.apache.spark.sql.execution.streaming

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark moved here with 4.1. */
package object runtime {
  type IncrementalExecution = before.IncrementalExecution
  type StreamExecution = before.StreamExecution
  type WatermarkPropagator = before.WatermarkPropagator
  type StreamingQueryWrapper = before.StreamingQueryWrapper

  val WatermarkPropagator = before.WatermarkPropagator
}
