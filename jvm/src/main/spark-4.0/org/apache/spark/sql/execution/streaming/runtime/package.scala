package org.apache.spark.sql.execution.streaming

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark 4.1 moved to this package. */
package object runtime {
  type IncrementalExecution = before.IncrementalExecution
  type StreamExecution = before.StreamExecution
  type WatermarkPropagator = before.WatermarkPropagator
  type StreamingQueryWrapper = before.StreamingQueryWrapper

  val WatermarkPropagator = before.WatermarkPropagator
}
