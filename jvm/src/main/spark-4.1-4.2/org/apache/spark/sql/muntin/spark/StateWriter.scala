package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  SchemaValidationUtils,
  StateStoreWriter
}
import org.apache.spark.sql.execution.streaming.state.{StateSchemaValidationResult, StateStore}

/** The stores that an operator with state reports to Spark. */
trait StateWriter extends StateStoreWriter with SchemaValidationUtils { self: SparkPlan =>

  /** The version of the files with the state's schema. */
  protected def writtenVersion: Int

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = validateAndWriteStateSchema(
    hadoopConf,
    batchId,
    writtenVersion,
    getStateInfo,
    stateSchemaDirPath(),
    session,
    operatorStateMetadataVersion,
    conf.stateStoreEncodingFormat
  )

  /** Updates the metrics that the store counts itself. */
  protected final def countStore(store: StateStore): Unit = setStoreMetrics(store, true)
}
