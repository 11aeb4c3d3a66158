package org.apache.spark.sql.muntin

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.{MuntinFunctions, WindowByTable}
import org.apache.spark.sql.muntin.spark.SparkShims

/** Muntin in a session that runs already. */
object Registration {

  /**
   * Whether `session` has Muntin. Sessions share their extensions with those that they are
   * made from, but what is made once for a session, its functions and its rules, they have only if
   * they were first used after Muntin was injected.
   */
  def isActive(session: classic.SparkSession): Boolean =
    Activation.isIn(SparkShims.extensions(session)) &&
      SparkShims.hasFunction(session, WindowBy.qualifiedName)

  /**
   * A session with Muntin: `session` itself where it has Muntin or has not been used yet, else a
   * clone, since rules and functions are made once for a session. Spark asks for the planner's
   * strategies at each query, so `session` itself plans its window functions with Muntin from now
   * on, too.
   */
  def register(session: SparkSession): classic.SparkSession = session match {
    case running: classic.SparkSession if isActive(running) => running
    case running: classic.SparkSession =>
      if (!ThisJar.fits(running.version)) {
        throw new IllegalStateException(ThisJar.whyNot(running.version))
      }
      if (!Activation.applyOnce(SparkShims.extensions(running))) {
        throw new IllegalStateException("Muntin failed to start; the log says why.")
      }
      if (isActive(running)) running else withFunctions(SparkShims.cloneSession(running))
    case _ =>
      throw new UnsupportedOperationException(
        "A Spark Connect client cannot register Muntin: it runs in the server. Start the server " +
          "with it: start-connect-server.sh --jars muntin-spark-" +
          s"${ThisJar.SPARK}_2.13-${ThisJar.VERSION}.jar"
      )
  }

  /** A clone has the functions of its parent, which knows none of Muntin's. */
  private def withFunctions(clone: classic.SparkSession): classic.SparkSession = {
    MuntinFunctions.all.foreach { function =>
      SparkShims.registerFunction(clone, function.qualifiedName, function.info, function(_))
    }
    SparkShims.registerTableFunction(clone, WindowBy.qualifiedName, WindowBy.info, WindowByTable(_))
    clone
  }
}
