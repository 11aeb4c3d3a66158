package org.apache.spark.sql.muntin.spark

import scala.util.control.NonFatal

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.execution.datasources.v2.state.StateSourceOptions
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorsUtils._
import org.apache.spark.sql.execution.streaming.state.StateRewriter
import org.apache.spark.sql.functions.col
import org.apache.spark.sql.muntin.errors.FailureText

/** The state of stateful Spark operators in a checkpoint, which Spark reads and writes. */
private[muntin] object SparkStates {
  private val Supported = Set(
    STATE_STORE_SAVE_EXEC_OP_NAME,
    SESSION_WINDOW_STATE_STORE_SAVE_EXEC_OP_NAME,
    DEDUPLICATE_EXEC_OP_NAME,
    DEDUPLICATE_WITHIN_WATERMARK_EXEC_OP_NAME,
    SYMMETRIC_HASH_JOIN_EXEC_OP_NAME
  ) ++ FLAT_MAP_GROUPS_OP_NAMES

  def supports(operator: StoredOperator): Boolean = Supported(operator.name)

  /** Returns why the state of the operator cannot be read. */
  def problem(from: StoredCheckpoint, operator: StoredOperator): Option[String] =
    try {
      operator.stores.foreach { store =>
        read(from, operator, store).queryExecution.toRdd.foreachPartition(_.foreach(_ => ()))
      }
      None
    } catch {
      case NonFatal(failure) => Some(s"operator ${operator.number}: ${FailureText(failure)}")
    }

  private def read(from: StoredCheckpoint, operator: StoredOperator, store: String) =
    from.session.read.format("statestore")
      .option(StateSourceOptions.PATH, from.last.checkpoint)
      .option(StateSourceOptions.BATCH_ID, from.batch)
      .option(StateSourceOptions.OPERATOR_ID, operator.number)
      .option(StateSourceOptions.STORE_NAME, store)
      .option(StateSourceOptions.INTERNAL_ONLY_READ_ALL_COLUMN_FAMILIES, true)
      .load()

  /**
   * Copies the state of all operators that the folder `to` describes, as the state after `batch`.
   * Returns the ids of each partition's stores, if the stores have ids.
   *
   * @param partitions
   *   the number of partitions, if it changes
   */
  def copy(
      from: StoredCheckpoint,
      to: String,
      batch: Long,
      partitions: Option[Int]
  ): Map[Long, Seq[Seq[String]]] = {
    val moved = partitions.map { n => (rows: DataFrame) =>
      rows.repartition(n, col("partition_key"))
    }
    new StateRewriter(
      from.session,
      from.batch,
      batch,
      to,
      from.session.sessionState.newHadoopConf(),
      Some(from.last.checkpoint),
      moved
    ).run().getOrElse(Map.empty).map { case (operator, ids) =>
      operator -> ids.toSeq.map(_.toSeq)
    }
  }
}
