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
 * Sets the state store that windows over streams need, for the queries that have such windows and
 * for no other query of the session. Spark runs each query in a copy of the session, and tells
 * listeners that the query starts before it writes the copy's settings into the checkpoint. A
 * checkpoint that is there already keeps its own settings.
 */
private[muntin] final class StreamProvider(
    session: SparkSession,
    hasWindows: LogicalPlan => Boolean,
    isDrained: LogicalPlan => Boolean
) extends StreamingQueryListener
    with Logging {
  // Runs that have to drain their windows.
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
   * How RocksDB writes what windows over streams put into it, where the session does not say it.
   * Each micro-batch writes most groups anew. A log of the changes is committed faster than files
   * of RocksDB's. To count rows, Spark would look for each key before it is written; rows of
   * windows are counted by the windows (StreamTotals), but those of Spark's operators are not.
   */
  private def written(query: RunningQuery): Seq[(String, String)] =
    Seq("spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled" -> "true") ++
      Option.unless(query.hasStateOfSpark)(
        "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows" -> "false"
      )

  /** What may be late or missing in a query by the order of time. */
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
   * Adds the listener, once in a session; `hasWindows` says which queries have windows over
   * streams, `isDrained` which of them request to be drained.
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
