package io.muntin

import org.apache.spark.sql.{DataFrame, Dataset, SparkSession}
import org.apache.spark.sql.muntin.{Registration, ThisJar}
import org.apache.spark.sql.muntin.spark.{LocalSession, TemporaryViews}

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
  def pending(query: Dataset[_], checkpoint: String): DataFrame =
    pending(query, checkpoint, "NULL")

  /**
   * Returns the results that were open after the micro-batch `batchId`, as far as the checkpoint
   * has its state.
   *
   * {{{
   *   Muntin.pending(totals, "/checkpoints/totals", 41L).show()
   * }}}
   *
   * @param query
   *   the streaming DataFrame that the query writes
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @param batchId
   *   the number of a committed micro-batch
   * @throws org.apache.spark.sql.AnalysisException as without `batchId`; when the table is
   *   evaluated, if the checkpoint does not have the micro-batch
   */
  def pending(query: Dataset[_], checkpoint: String, batchId: Long): DataFrame =
    pending(query, checkpoint, batchId.toString)

  private def pending(query: Dataset[_], checkpoint: String, batchId: String): DataFrame = {
    val spark = query.sparkSession
    val view = TemporaryViews.name()
    query.createOrReplaceTempView(view)
    try
      LiteralSql(
        spark,
        s"SELECT * FROM `muntin.pending`(TABLE($view), :checkpoint, $batchId)",
        Map("checkpoint" -> checkpoint)
      )
    // A Spark Connect client sends the query when its rows are requested.
    finally if (LocalSession.is(spark)) spark.catalog.dropTempView(view): Unit
  }

  /**
   * Returns the state in the checkpoint of a streaming query with windows: a batch DataFrame with a
   * row for each group of each operator. When the DataFrame is evaluated, it reads the checkpoint's
   * last committed micro-batch, and does not change the checkpoint. The query may be running or
   * stopped.
   *
   * {{{
   *   Muntin.state(spark, "/checkpoints/totals").orderBy(desc("bytes")).show()
   * }}}
   *
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @return
   *   the operator's number, its window, the partition, the group's keys by name, the number and
   *   bytes of the stored rows, the times of the oldest and newest rows, and the time of the next
   *   timer
   * @throws org.apache.spark.sql.AnalysisException when the table is evaluated: if `checkpoint` is
   *   not a checkpoint or has no committed micro-batch, or if its query has no windows
   */
  def state(spark: SparkSession, checkpoint: String): DataFrame =
    state(spark, checkpoint, "NULL")

  /**
   * Returns the state after the micro-batch `batchId`, as far as the checkpoint has it.
   *
   * {{{
   *   Muntin.state(spark, "/checkpoints/totals", 41L).show()
   * }}}
   *
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @param batchId
   *   the number of a committed micro-batch
   * @throws org.apache.spark.sql.AnalysisException as without `batchId`; when the table is
   *   evaluated, if the checkpoint does not have the micro-batch
   */
  def state(spark: SparkSession, checkpoint: String, batchId: Long): DataFrame =
    state(spark, checkpoint, batchId.toString)

  private def state(spark: SparkSession, checkpoint: String, batchId: String): DataFrame =
    LiteralSql(
      spark,
      s"SELECT * FROM `muntin.state`(:checkpoint, $batchId)",
      Map("checkpoint" -> checkpoint)
    )

  /**
   * Copies the checkpoint of a stopped query to another folder, with its state in another number of
   * partitions. The checkpoint does not change. If the copy fails, nothing is left of it.
   *
   * {{{
   *   Muntin.repartition(spark, "/checkpoints/totals", 64, "/checkpoints/totals-64").show()
   * }}}
   *
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @param partitions
   *   the new number of partitions
   * @param to
   *   the folder of the copy, which does not exist or is empty: the query's next
   *   `checkpointLocation`
   * @return
   *   a row for each operator: its number, its window, the number of partitions, groups and rows,
   *   the bytes of its state, and the bytes of its largest partition
   * @throws org.apache.spark.sql.AnalysisException if `checkpoint` is not a checkpoint or is in
   *   use, if its query has no windows or has stateful operators of Spark whose state cannot be
   *   copied, or if `to` is not empty
   */
  def repartition(
      spark: SparkSession,
      checkpoint: String,
      partitions: Int,
      to: String
  ): DataFrame = {
    val copied = LiteralSql(
      spark,
      "SELECT * FROM `muntin.repartition`(:checkpoint, :partitions, :to)",
      Map[String, Any]("checkpoint" -> checkpoint, "partitions" -> partitions, "to" -> to)
    )
    once(copied)
  }

  /**
   * Copies the checkpoint of a stopped query to another folder, as of its last micro-batch whose
   * files are whole. The checkpoint does not change. If the copy fails, nothing is left of it.
   *
   * {{{
   *   Muntin.restore(spark, "/checkpoints/totals", "/checkpoints/totals-restored").show()
   * }}}
   *
   * If the copy goes back, the query emits the results of later micro-batches again, in
   * micro-batches with new numbers.
   *
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @param to
   *   the folder of the copy, which does not exist or is empty: the query's next
   *   `checkpointLocation`
   * @return
   *   a row for each operator: the number of the micro-batch, why the next micro-batch is not
   *   whole, the operator's number and window, the number of partitions, groups and rows, and the
   *   bytes of its state
   * @throws org.apache.spark.sql.AnalysisException if `checkpoint` is not a checkpoint or is in
   *   use, if no micro-batch is whole, if its query has no windows or has stateful operators of
   *   Spark whose state cannot be copied, or if `to` is not empty
   */
  def restore(spark: SparkSession, checkpoint: String, to: String): DataFrame =
    restore(spark, checkpoint, to, "NULL")

  /**
   * Copies the checkpoint as of the micro-batch `batchId`.
   *
   * {{{
   *   Muntin.restore(spark, "/checkpoints/totals", "/checkpoints/totals-restored", 41L).show()
   * }}}
   *
   * @param checkpoint
   *   the query's `checkpointLocation`
   * @param to
   *   the folder of the copy
   * @param batchId
   *   the number of a committed micro-batch
   * @throws org.apache.spark.sql.AnalysisException as without `batchId`, and if the checkpoint does
   *   not have the micro-batch, or if it is not whole
   */
  def restore(spark: SparkSession, checkpoint: String, to: String, batchId: Long): DataFrame =
    restore(spark, checkpoint, to, batchId.toString)

  private def restore(
      spark: SparkSession,
      checkpoint: String,
      to: String,
      batchId: String
  ): DataFrame = {
    val copied = LiteralSql(
      spark,
      s"SELECT * FROM `muntin.restore`(:checkpoint, :to, $batchId)",
      Map[String, Any]("checkpoint" -> checkpoint, "to" -> to)
    )
    once(copied)
  }

  /**
   * Makes a checkpoint with the state that a query would have if the rows of `history` had gone
   * through it, and returns the results that are final. Start the query with the checkpoint, and
   * with a source that begins after the history. Both together return the results of one stream
   * over all rows.
   *
   * {{{
   *   Muntin.bootstrap(totals, past, "/checkpoints/totals").write.saveAsTable("totals")
   * }}}
   *
   * @param query
   *   the streaming DataFrame that will be started in output mode append
   * @param history
   *   a table with the columns of the query's source, which is its only source
   * @param checkpoint
   *   the query's `checkpointLocation`, which does not exist or is empty
   * @return
   *   the results that the query would have written, from Parquet files in the checkpoint
   * @throws org.apache.spark.sql.AnalysisException if `query` is not a stream with windows, has
   *   several sources or stateful operators of Spark, if `history` is a stream or lacks a column,
   *   or if `checkpoint` is not empty
   */
  def bootstrap(query: Dataset[_], history: Dataset[_], checkpoint: String): DataFrame =
    bootstrap(query, Seq(history), checkpoint)

  /**
   * Makes a checkpoint of a query with several sources, from a table for each source.
   *
   * {{{
   *   Muntin.bootstrap(alarms, Seq(pastReadings, pastLimits), "/checkpoints/alarms").show()
   * }}}
   *
   * @param query
   *   the streaming DataFrame that will be started in output mode append
   * @param histories
   *   a table with the columns of each source, in the order in which the query reads its sources
   * @param checkpoint
   *   the query's `checkpointLocation`, which does not exist or is empty
   * @return
   *   the results that the query would have written, from Parquet files in the checkpoint
   * @throws org.apache.spark.sql.AnalysisException as with one history, and if the query has
   *   another number of sources
   */
  def bootstrap(
      query: Dataset[_],
      histories: Seq[Dataset[_]],
      checkpoint: String
  ): DataFrame = bootstrapped(query, histories, checkpoint, None)

  /**
   * Makes a checkpoint that continues where the query of another checkpoint has stopped: with its
   * offsets, its watermark and its number of micro-batches. The state is computed from the
   * histories, so the query may be any other query over the same sources.
   *
   * {{{
   *   Muntin.bootstrap(totals, Seq(readSoFar), "/checkpoints/totals-2", "/checkpoints/totals")
   * }}}
   *
   * @param query
   *   the streaming DataFrame that will be started in output mode append
   * @param histories
   *   a table for each source with the rows that the stopped query has read
   * @param checkpoint
   *   the query's `checkpointLocation`, which does not exist or is empty
   * @param after
   *   the `checkpointLocation` of the stopped query, which is only read
   * @return
   *   the results of the histories that are final, from Parquet files in the checkpoint
   * @throws org.apache.spark.sql.AnalysisException as without `after`, if the stopped query has
   *   another number of sources, or if a query is running with `after`
   */
  def bootstrap(
      query: Dataset[_],
      histories: Seq[Dataset[_]],
      checkpoint: String,
      after: String
  ): DataFrame = bootstrapped(query, histories, checkpoint, Some(after))

  private def bootstrapped(
      query: Dataset[_],
      histories: Seq[Dataset[_]],
      checkpoint: String,
      after: Option[String]
  ): DataFrame = {
    val spark = query.sparkSession
    TemporaryViews(query +: histories: _*) { views =>
      val tables = views.map(view => s"TABLE($view)")
      val made = LiteralSql(
        spark,
        "SELECT * FROM `muntin.bootstrap`(" +
          (tables.take(2) ++ Seq(":checkpoint") ++ tables.drop(2)).mkString(", ") +
          ", after => :after)",
        Map[String, Any]("checkpoint" -> checkpoint, "after" -> after.orNull)
      ).collect().head
      spark.read.parquet(made.getAs[String]("results"))
    }
  }

  /**
   * Compares a changed streaming query with a checkpoint: returns a row for each window function
   * with its `operator`, its `window`, the `function`, an `action` and its `reason`. The action is
   * `continues`, `restarts`, `is dropped` or `needs history`. Nothing changes.
   *
   * {{{
   *   Muntin.compare(totals, "/checkpoints/totals").show()
   * }}}
   *
   * @param query
   *   the changed streaming DataFrame
   * @param checkpoint
   *   the `checkpointLocation` of the query before the change
   * @param outputMode
   *   `append` or `update`, the output mode of the changed query; None for the mode in the
   *   checkpoint
   * @param renamed
   *   the names of columns before the change, with their names in the changed query
   * @throws org.apache.spark.sql.AnalysisException if `query` is not a stream with windows, if
   *   `checkpoint` is not a checkpoint, or if their stateful operators of Spark or their numbers of
   *   sources differ
   */
  def compare(
      query: Dataset[_],
      checkpoint: String,
      outputMode: Option[String] = None,
      renamed: Map[String, String] = Map.empty
  ): DataFrame = changed(
    query,
    "`muntin.compare`(TABLE(%s), :checkpoint, :mode, %s)",
    Map("checkpoint" -> checkpoint, "mode" -> outputMode.orNull),
    renamed
  )

  /**
   * Copies the checkpoint of a stopped query, with the state of a changed query, which continues
   * with the copy. The checkpoint does not change. If the copy fails, nothing is left of it.
   *
   * {{{
   *   Muntin.change(totals, "/checkpoints/totals", "/checkpoints/totals-2").show()
   * }}}
   *
   * @param query
   *   the changed streaming DataFrame
   * @param checkpoint
   *   the `checkpointLocation` of the query before the change
   * @param to
   *   the folder of the copy, which does not exist or is empty: the `checkpointLocation` of the
   *   changed query
   * @param incomplete
   *   whether windows may restart, or be dropped with the rows that wait
   * @param outputMode
   *   `append` or `update`, the output mode of the changed query; None for the mode in the
   *   checkpoint
   * @param renamed
   *   the names of columns before the change, with their names in the changed query
   * @return
   *   the rows of `compare`
   * @throws org.apache.spark.sql.AnalysisException if `compare` fails, if a function needs history,
   *   if a window restarts or is dropped without `incomplete`, if the checkpoint is in use, or
   *   if `to` is not empty
   */
  def change(
      query: Dataset[_],
      checkpoint: String,
      to: String,
      incomplete: Boolean = false,
      outputMode: Option[String] = None,
      renamed: Map[String, String] = Map.empty
  ): DataFrame = changed(
    query,
    "`muntin.change`(TABLE(%s), :checkpoint, :to, :incomplete, :mode, %s)",
    Map(
      "checkpoint" -> checkpoint,
      "to" -> to,
      "incomplete" -> incomplete,
      "mode" -> outputMode.orNull
    ),
    renamed
  )

  /**
   * Computes the results of a query that changed rows of a source affect, and replaces them in a
   * table. Afterwards the table has the results of the query over the changed source, to the last
   * bit. Returns one row: the number of affected `keys` and of their `stretches` of time, of rows
   * that are `read`, of results that are `deleted` and `inserted`, and whether all results were
   * computed (`full`).
   *
   * {{{
   *   Muntin.refresh(features, "features").show()
   * }}}
   *
   * @param query
   *   the query whose results are in the table, with common PARTITION BY or GROUP BY columns
   * @param target
   *   the name of a Delta or Iceberg table, or of a partitioned table of Parquet or ORC
   * @param changes
   *   the rows of the source that were inserted or deleted, and for each updated row its former and
   *   its new values; None for the changes of a Delta or Iceberg table, or the new files of Parquet
   *   or ORC, since the last refresh
   * @param source
   *   the name of the changed table or view; None if the query reads one table
   * @param dryRun
   *   whether the table stays unchanged
   * @param full
   *   whether all results are computed; None if an estimate decides
   * @throws org.apache.spark.sql.AnalysisException if a change may affect all results, if the query
   *   is a stream, not deterministic, or reads the table, if `source` is not one table of the
   *   query, if columns differ, if the table has another format, or another program or query has
   *   changed it, or if the changes of the source are unknown
   */
  def refresh(
      query: Dataset[_],
      target: String,
      changes: Option[Dataset[_]] = None,
      source: Option[String] = None,
      dryRun: Boolean = false,
      full: Option[Boolean] = None
  ): DataFrame = refreshed("refresh", query, target, changes, source, ", :dry_run, :full") {
    Map[String, Any]("dry_run" -> dryRun, "full" -> full.orNull)
  }

  /**
   * Returns the results that `refresh` would replace, without the estimate that may replace all: a
   * row for each stretch of time of each key, with the names and values of the `keys` and the
   * `first` and the `last` affected time, as text. If all results up to a time, or from a time on,
   * are affected, `first` or `last` is null. Distances are rounded up, so a stretch may be two days
   * longer than necessary.
   *
   * {{{
   *   Muntin.affected(features, "features").show()
   * }}}
   *
   * @param query
   *   the query whose results are in the table
   * @param target
   *   the name of the table
   * @param changes
   *   the changed rows of the source; None for the changes since the last refresh
   * @param source
   *   the name of the changed table or view; None if the query reads one table
   * @throws org.apache.spark.sql.AnalysisException as `refresh`; also if the table has no stored
   *   position and `changes` is None
   */
  def affected(
      query: Dataset[_],
      target: String,
      changes: Option[Dataset[_]] = None,
      source: Option[String] = None
  ): DataFrame = refreshed("affected", query, target, changes, source, "")(Map.empty)

  private def refreshed(
      function: String,
      query: Dataset[_],
      target: String,
      changes: Option[Dataset[_]],
      source: Option[String],
      more: String
  )(arguments: Map[String, Any]): DataFrame = TemporaryViews(query +: changes.toSeq: _*) { views =>
    val rows = views.lift(1).fold("NULL")(view => s"TABLE($view)")
    once(LiteralSql(
      query.sparkSession,
      s"SELECT * FROM `muntin.$function`(TABLE(${views.head}), :target, $rows, :source$more)",
      arguments ++ Map[String, Any]("target" -> target, "source" -> source.orNull)
    ))
  }

  private def changed(
      query: Dataset[_],
      call: String,
      arguments: Map[String, Any],
      renamed: Map[String, String]
  ): DataFrame = {
    val spark = query.sparkSession
    val names = renamed.toSeq.flatMap { case (former, now) => Seq(former, now) }.zipWithIndex
      .map { case (name, i) => s"name$i" -> name }
    val map =
      if (names.isEmpty) "NULL" else names.map(":" + _._1).mkString("map(", ", ", ")")
    TemporaryViews(query) { views =>
      val changes =
        LiteralSql(spark, s"SELECT * FROM ${call.format(views.head, map)}", arguments ++ names)
      once(changes)
    }
  }

  /** Returns the rows of a command, which runs here and only once. */
  private def once(rows: DataFrame): DataFrame =
    rows.sparkSession.createDataFrame(java.util.Arrays.asList(rows.collect(): _*), rows.schema)
}
