package org.apache.spark.sql.muntin

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.state.StateStore
import org.apache.spark.sql.internal.SQLConf

/**
 * The SparkContext that the suites of a process share, one after the other: it takes a second to
 * start. Each suite has its own session, and everything that a session leaves is removed with it.
 */
object SharedContext {
  private var held = Option.empty[(Map[String, String], SparkSession)]

  /** Returns a new session with these settings; a context with other settings is stopped first. */
  def session(settings: Map[String, String]): SparkSession = synchronized {
    val (ofSession, ofContext) = settings.partition { case (key, _) => isOfSession(key) }
    if (!held.exists { case (those, s) => those == ofContext && !s.sparkContext.isStopped }) {
      stop()
      val builder = SparkSession.builder().master("local[2]").appName("suites")
      ofContext.foreach { case (key, value) => builder.config(key, value) }
      held = Some(ofContext -> builder.getOrCreate())
    }
    val made = held.get._2.newSession()
    ofSession.foreach { case (key, value) => made.conf.set(key, value) }
    SparkSession.setActiveSession(made)
    SparkSession.setDefaultSession(made)
    made
  }

  /** Removes everything that a session has left. */
  def end(session: SparkSession): Unit = synchronized {
    session.streams.active.foreach(_.stop())
    StateStore.stop()
    session.sharedState.cacheManager.clearCache()
    session.sharedState.globalTempViewManager.clear()
    val catalog = session.sharedState.externalCatalog
    catalog.listTables("default")
      .foreach(catalog.dropTable("default", _, ignoreIfNotExists = true, purge = true))
    clear()
  }

  /** Runs a suite with its own contexts. */
  def stop(): Unit = synchronized {
    held.foreach(_._2.stop())
    held = None
    clear()
  }

  private def clear(): Unit = {
    SparkSession.clearActiveSession()
    SparkSession.clearDefaultSession()
  }

  private def isOfSession(key: String): Boolean =
    key.startsWith("spark.muntin.") ||
      key.startsWith("spark.sql.") && SQLConf.containsConfigKey(key) &&
      !SQLConf.isStaticConfigKey(key)
}
