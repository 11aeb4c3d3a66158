package org.apache.spark.sql.muntin.spark

/** The state of stateful Spark operators in a checkpoint: not supported on Spark 3.5. */
private[muntin] object SparkStates {
  def supports(operator: StoredOperator): Boolean = Streams.unsupported

  def problem(from: StoredCheckpoint, operator: StoredOperator): Option[String] =
    Streams.unsupported
}
