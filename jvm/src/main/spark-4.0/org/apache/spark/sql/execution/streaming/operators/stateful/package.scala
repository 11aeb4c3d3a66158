package org.apache.spark.sql.execution.streaming.operators

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark 4.1 moved to this package. */
package object stateful {
  type SchemaValidationUtils = before.TransformWithStateMetadataUtils
  type SessionWindowStateStoreSaveExec = before.SessionWindowStateStoreSaveExec
  type StateStoreSaveExec = before.StateStoreSaveExec
  type StateStoreWriter = before.StateStoreWriter
  type StatefulOperatorCustomMetric = before.StatefulOperatorCustomMetric
  type StatefulOperatorStateInfo = before.StatefulOperatorStateInfo
  type StatefulOperator = before.StatefulOperator
  type StreamingDeduplicateExec = before.StreamingDeduplicateExec
  type StreamingDeduplicateWithinWatermarkExec = before.StreamingDeduplicateWithinWatermarkExec
  type StreamingGlobalLimitExec = before.StreamingGlobalLimitExec

  val StatefulOperatorCustomSumMetric = before.StatefulOperatorCustomSumMetric
  val StatefulOperatorStateInfo = before.StatefulOperatorStateInfo
  val StatefulOperatorPartitioning = before.StatefulOperatorPartitioning
  val StreamingGlobalLimitExec = before.StreamingGlobalLimitExec
}
