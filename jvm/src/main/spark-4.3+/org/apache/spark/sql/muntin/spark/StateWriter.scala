package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  SchemaValidationUtils,
  StateStoreWriter
}
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadataReader,
  StateSchemaValidationResult,
  StateStore
}

/** The stores that an operator with state reports to Spark. */
trait StateWriter extends StateStoreWriter with SchemaValidationUtils { self: SparkPlan =>

  /** The version of the files with the state's schema. */
  protected def writtenVersion: Int

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] = {
    val isRealTime = RealTimeMode.isIn(self)
    if (isRealTime && batchId > 0L) validateOldMetadata(hadoopConf, batchId - 1L)
    validateAndWriteStateSchema(
      hadoopConf,
      batchId,
      writtenVersion,
      getStateInfo,
      stateSchemaDirPath(),
      session,
      operatorStateMetadataVersion,
      conf.stateStoreEncodingFormat,
      isRealTime
    )
  }

  // Spark reads the metadata of a batch whose offsets are written. In real-time mode they are not
  // written yet, and Spark does not compare the operators.
  private def validateOldMetadata(hadoopConf: Configuration, batchId: Long): Unit = {
    val place = getStateInfo
    val path = new Path(place.checkpointLocation, place.operatorId.toString)
    OperatorStateMetadataReader
      .createReader(path, hadoopConf, operatorStateMetadataVersion, batchId)
      .read()
      .foreach(old => validateNewMetadata(old, old))
  }

  /** Updates the metrics that the store counts itself. */
  protected final def countStore(store: StateStore): Unit = setStoreMetrics(store, true)
}
