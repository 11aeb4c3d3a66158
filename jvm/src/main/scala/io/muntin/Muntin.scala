package io.muntin

import java.util.UUID

import org.apache.spark.sql.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.muntin.{Registration, ThisJar}
import org.apache.spark.sql.muntin.spark.LocalSession

/**
 * Muntin, for Scala and Java. A session that begins with the jar on its class path needs no call.
 */
object Muntin {

  /** The version of this jar. */
  val version: String = ThisJar.VERSION

  /**
   * Brings Muntin into a session that runs already, and returns the session to use from then on: a
   * clone of `spark` with the same settings, temporary views and functions, or `spark` itself where
   * Muntin is active in it. If `spark.muntin.enabled=false` or the environment variable
   * `MUNTIN_ENABLED=false` turns Muntin off, returns `spark` without Muntin, and logs a warning.
   *
   * {{{
   *   val spark = Muntin.register(running)
   * }}}
   */
  def register(spark: SparkSession): SparkSession = Registration.register(spark)

  /**
   * What is still open in the checkpoint of a streaming query with windows: the rows that the query
   * would write if its stream ended now, as a DataFrame of a batch. The checkpoint's last committed
   * micro-batch is read when the DataFrame is, and stays as it is: while the query runs, and after
   * it has stopped.
   *
   * {{{
   *   Muntin.pending(totals, "/checkpoints/totals").show()
   * }}}
   *
   * @param query
   *   the streaming DataFrame that is written, as `totals.writeStream` has it
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @throws org.apache.spark.sql.AnalysisException
   *   if there is no such checkpoint, it is another query's, or the query has no windows that wait
   */
  def pending(query: Dataset[_], checkpoint: String): DataFrame = {
    val spark = query.sparkSession
    val view = s"muntin_pending_${UUID.randomUUID.toString.replace("-", "")}"
    query.createOrReplaceTempView(view)
    try
      spark.sql(
        s"SELECT * FROM `muntin.pending`(TABLE($view), :checkpoint)",
        Map("checkpoint" -> checkpoint)
      )
    // A client of Spark Connect sends the query when its rows are asked for.
    finally if (LocalSession.is(spark)) spark.catalog.dropTempView(view): Unit
  }
}
