package org.apache.spark.sql.muntin.streaming

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{CommittedBatch, RunningQuery, StateOfPartition}
import org.apache.spark.sql.streaming.StreamingQueryListener

/**
 * Sets the state store that windows over streams need, only for the queries that have such windows.
 * Spark runs each query in a copy of the session, and notifies listeners of the query's start
 * before it writes the copy's settings into the checkpoint. An existing checkpoint keeps its own
 * settings.
 */
private[muntin] final class StreamProvider(
    session: SparkSession,
    hasWindows: LogicalPlan => Boolean,
    isDrained: LogicalPlan => Boolean
) extends StreamingQueryListener
    with Logging {
  // Runs that must drain their windows.
  private val draining = new ConcurrentHashMap[UUID, (String, RunningQuery)]

  override def onQueryStarted(started: StreamingQueryListener.QueryStartedEvent): Unit =
    RunningQuery(session, started.runId).filter(q => hasWindows(q.plan)).foreach { query =>
      val name = s"The query ${Option(started.name).getOrElse(started.id)}"
      if (!MuntinConf.isByArrival(query.conf)) StreamProvider.warnings(query).foreach { warning =>
        logWarning(s"$name has windows over a stream and $warning")
      }
      if (query.isFinite && (query.conf.getConf(MuntinConf.StreamDrain) || isDrained(query.plan)))
        draining.put(started.runId, (name, query)): Unit
      provide(name, query.conf)
      StreamProvider.written(query).filterNot { case (key, _) =>
        query.conf.contains(key)
      }.foreach {
        case (key, value) => query.conf.setConfString(key, value)
      }
    }

  private def provide(name: String, conf: SQLConf): Unit =
    if (!conf.contains(StreamProvider.setting.key)) {
      val before = conf.getConf(StreamProvider.setting)
      conf.setConf(StreamProvider.setting, StateOfPartition.Provider)
      logWarning(
        s"$name has windows over a stream and keeps its state in RocksDB: in this query " +
          s"${StreamProvider.setting.key} is ${StateOfPartition.Provider}, not $before, which is " +
          "Spark's default and stays what other queries of the session have. To set it for all " +
          s"""of them: spark.conf.set("${StreamProvider.setting.key}", """ +
          s""""${StateOfPartition.Provider}")"""
      )
    }

  override def onQueryProgress(event: StreamingQueryListener.QueryProgressEvent): Unit = ()

  override def onQueryTerminated(event: StreamingQueryListener.QueryTerminatedEvent): Unit =
    Option(draining.remove(event.runId)).foreach { case (name, query) =>
      if (
        event.exception.isEmpty && !query.hasRun &&
        CommittedBatch.last(session, query.checkpoint).isDefined
      ) logWarning(
        s"$name had no new rows, so Spark did not run a micro-batch and nothing was drained. To " +
          "see the windows and rows that still wait, if there are any, call " +
          s"""mt.pending(df, "${query.checkpoint}"). The next run with new rows drains them"""
      )
    }
}

private[muntin] object StreamProvider {
  private val setting = SQLConf.STATE_STORE_PROVIDER_CLASS

  /**
   * Returns settings for how RocksDB writes the state of windows over streams, unless the session
   * sets them. Each micro-batch rewrites most groups. Committing a changelog is faster than
   * committing RocksDB's files. To count rows, Spark would look up each key before it writes the
   * key. The windows count their own rows (StreamTotals), but Spark's operators do not.
   */
  private def written(query: RunningQuery): Seq[(String, String)] =
    Seq("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "true") ++
      Option.unless(query.hasStateOfSpark)(
        "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows" -> "false"
      )

  /** Returns warnings on what a query in the order of time may emit late or miss. */
  private def warnings(query: RunningQuery): Seq[String] = Seq(
    Option.when(query.runsOnce)(
      "runs one micro-batch: what the rows of this micro-batch let out comes out when the query " +
        "is started the next time. To have it now: trigger(availableNow=True)"
    ),
    Option.when(query.watermarksInStep > 1)(
      s"${query.watermarksInStep} watermarks, the least of which is the time of all: while one " +
        "of its streams is quiet or empty, nothing comes out of the others. Where streams are " +
        "put together, one watermark above them goes by the newest row of any: " +
        "a.union(b).withWatermark(…). Or spark.sql.streaming.multipleWatermarkPolicy=max"
    )
  ).flatten

  /**
   * Adds the listener, once per session; `hasWindows` returns true for queries with windows over
   * streams, `isDrained` for queries that request to be drained.
   */
  def listenTo(
      session: SparkSession,
      hasWindows: LogicalPlan => Boolean,
      isDrained: LogicalPlan => Boolean
  ): Unit =
    session.streams.synchronized {
      val isThere = session.streams.listListeners().exists {
        case _: StreamProvider => true
        case _ => false
      }
      if (!isThere) {
        session.streams.addListener(new StreamProvider(session, hasWindows, isDrained))
      }
    }
}
