package io.muntin

import java.util.UUID

import org.apache.spark.sql.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.muntin.{Registration, ThisJar}
import org.apache.spark.sql.muntin.spark.LocalSession

/**
 * Muntin for Scala and Java. A session that starts with the jar on its class path needs no call.
 */
object Muntin {

  /** The version of this jar. */
  val version: String = ThisJar.VERSION

  /**
   * Adds Muntin to a running session, and returns the session to use from then on: a clone of
   * `spark` with the same settings, temporary views and functions, or `spark` itself if Muntin is
   * active in it. If `spark.muntin.enabled=false` or the environment variable
   * `MUNTIN_ENABLED=false` turns Muntin off, returns `spark` without Muntin, and logs a warning.
   *
   * {{{
   *   val spark = Muntin.register(running)
   * }}}
   */
  def register(spark: SparkSession): SparkSession = Registration.register(spark)

  /**
   * Returns the results that are still open in the checkpoint of a streaming query with windows:
   * the rows that the query would write if its stream ended now, as a batch DataFrame. It reads the
   * checkpoint's last committed micro-batch when the DataFrame is evaluated, and does not change
   * the checkpoint. The query may be running or stopped.
   *
   * {{{
   *   Muntin.pending(totals, "/checkpoints/totals").show()
   * }}}
   *
   * @param query
   *   the streaming DataFrame that the query writes, such as `totals`
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @throws org.apache.spark.sql.AnalysisException if the checkpoint does not exist or belongs to
   *   another query, or if the query has no windows over a stream
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
    // A Spark Connect client sends the query when its rows are requested.
    finally if (LocalSession.is(spark)) spark.catalog.dropTempView(view): Unit
  }
}
