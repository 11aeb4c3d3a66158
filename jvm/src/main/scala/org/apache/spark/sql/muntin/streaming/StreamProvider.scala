package org.apache.spark.sql.muntin.streaming

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.errors.ErrorConditions
import org.apache.spark.sql.muntin.spark.{
  CommittedBatch,
  RunningQuery,
  StateOfPartition,
  StateStoreSettings
}
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
      val name = Option(started.name).getOrElse(started.id.toString)
      if (!MuntinConf.isByArrival(query.conf)) warnOfResults(name, query)
      if (query.isFinite && (query.conf.getConf(MuntinConf.StreamDrain) || isDrained(query.plan)))
        draining.put(started.runId, (name, query)): Unit
      provide(name, query.conf)
      StateStoreSettings.written(query.hasStateOfSpark).filterNot { case (key, _) =>
        query.conf.contains(key)
      }.foreach {
        case (key, value) => query.conf.setConfString(key, value)
      }
    }

  private def provide(name: String, conf: SQLConf): Unit =
    if (!conf.contains(StreamProvider.setting.key)) {
      val before = conf.getConf(StreamProvider.setting)
      conf.setConf(StreamProvider.setting, StateOfPartition.Provider)
      warn(
        "MUNTIN_STATE_STORE_SET",
        "query" -> name,
        "setting" -> StreamProvider.setting.key,
        "provider" -> StateOfPartition.Provider,
        "default" -> before
      )
    }

  /** Warns of results that a query in the order of time may emit late or miss. */
  private def warnOfResults(name: String, query: RunningQuery): Unit = {
    if (query.runsOnce) warn("MUNTIN_SINGLE_MICRO_BATCH", "query" -> name)
    val watermarks = query.watermarksInStep
    if (watermarks > 1) {
      warn("MUNTIN_SEVERAL_WATERMARKS", "query" -> name, "watermarks" -> watermarks.toString)
    }
  }

  private def warn(condition: String, parameters: (String, String)*): Unit =
    logWarning(ErrorConditions(condition).message(parameters.toMap))

  override def onQueryProgress(event: StreamingQueryListener.QueryProgressEvent): Unit = ()

  override def onQueryTerminated(event: StreamingQueryListener.QueryTerminatedEvent): Unit =
    Option(draining.remove(event.runId)).foreach { case (name, query) =>
      if (
        event.exception.isEmpty && !query.hasRun &&
        CommittedBatch.last(session, query.checkpoint).isDefined
      ) warn("MUNTIN_NOTHING_DRAINED", "query" -> name, "checkpoint" -> query.checkpoint)
    }
}

private[muntin] object StreamProvider {
  private val setting = SQLConf.STATE_STORE_PROVIDER_CLASS

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
