package org.apache.spark.sql.muntin.spark

/** The state of stateful Spark operators in a checkpoint: only Spark 4.2 can rewrite it. */
private[muntin] object SparkStates {
  def supports(operator: StoredOperator): Boolean = false

  def problem(from: StoredCheckpoint, operator: StoredOperator): Option[String] = unsupported

  def copy(
      from: StoredCheckpoint,
      to: String,
      batch: Long,
      partitions: Option[Int]
  ): Map[Long, Seq[Seq[String]]] = unsupported

  private def unsupported =
    throw new UnsupportedOperationException("the state of Spark operators before Spark 4.2")
}
