package org.apache.spark.sql.muntin.streaming

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.spark.{RunningQuery, StateOfPartition}
import org.apache.spark.sql.streaming.StreamingQueryListener

/**
 * Gives a query with windows over streams the state store that they need, and no other query of the
 * session: Spark runs each query in a copy of the session, made when the query is, and tells
 * listeners that it starts before the query writes the copy's settings into its checkpoint. A
 * checkpoint that is there already has its own.
 */
private[muntin] final class StreamProvider(
    session: SparkSession,
    hasWindows: LogicalPlan => Boolean
) extends StreamingQueryListener
    with Logging {
  override def onQueryStarted(started: StreamingQueryListener.QueryStartedEvent): Unit =
    RunningQuery(session, started.runId).foreach { query =>
      val conf = query.conf
      if (
        !conf.contains(StreamProvider.setting.key) &&
        hasWindows(query.plan)
      ) {
        val before = conf.getConf(StreamProvider.setting)
        conf.setConf(StreamProvider.setting, StateOfPartition.Provider)
        logWarning(
          s"The query ${Option(started.name).getOrElse(started.id)} has windows over a stream " +
            s"and keeps its state in RocksDB: in this query ${StreamProvider.setting.key} is " +
            s"${StateOfPartition.Provider}, not $before, which is Spark's default and stays what " +
            "other queries of the session have. To set it for all of them: " +
            s"""spark.conf.set("${StreamProvider.setting.key}", "${StateOfPartition.Provider}")"""
        )
      }
    }

  override def onQueryProgress(event: StreamingQueryListener.QueryProgressEvent): Unit = ()

  override def onQueryTerminated(event: StreamingQueryListener.QueryTerminatedEvent): Unit = ()
}

private[muntin] object StreamProvider {
  private val setting = SQLConf.STATE_STORE_PROVIDER_CLASS

  /** Once in a session; `hasWindows`, which queries have windows over streams. */
  def listenTo(session: SparkSession, hasWindows: LogicalPlan => Boolean): Unit =
    session.streams.synchronized {
      val isThere = session.streams.listListeners().exists {
        case _: StreamProvider => true
        case _ => false
      }
      if (!isThere) session.streams.addListener(new StreamProvider(session, hasWindows))
    }
}
