package org.apache.spark.sql.muntin

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.classic
import org.apache.spark.sql.muntin.plans.OverStrategy

/** Muntin in a session that runs already. */
object Registration {

  /** Whether the queries of `session` are planned with Muntin. */
  def isActive(session: classic.SparkSession): Boolean =
    SparkShims.plannerStrategies(session).exists(_.isInstanceOf[OverStrategy])

  /**
   * A session with Muntin: `session` itself where it has it, else a clone, since the rules of a
   * session are made once, when it begins. Sessions begun from either later have Muntin too.
   */
  def register(session: SparkSession): classic.SparkSession = session match {
    case running: classic.SparkSession if isActive(running) => running
    case running: classic.SparkSession =>
      if (!MuntinExtensions.applyOnce(SparkShims.extensions(running), running.version)) {
        throw new IllegalStateException(
          if (MuntinExtensions.fits(running.version)) "Muntin failed to start; the log says why."
          else MuntinExtensions.whyNot(running.version)
        )
      }
      SparkShims.cloneSession(running)
    case _ =>
      throw new UnsupportedOperationException(
        "A Spark Connect client cannot register Muntin: it runs in the server. Start the server " +
          "with it: start-connect-server.sh --jars muntin-spark-" +
          s"${SparkShims.minor}_2.13-${io.muntin.Muntin.version}.jar"
      )
  }
}
