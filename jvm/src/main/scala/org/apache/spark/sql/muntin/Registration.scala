package org.apache.spark.sql.muntin

import java.util.{Collections, WeakHashMap}

import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.muntin.expressions.{MuntinFunctions, WindowBy}
import org.apache.spark.sql.muntin.plans.WindowByTable

/** Muntin in a session that runs already. */
object Registration {

  // Sessions older than their extensions: what is made once for a session lacks Muntin in them.
  private val older =
    Collections.synchronizedSet(
      Collections.newSetFromMap(new WeakHashMap[SparkSession, java.lang.Boolean])
    )

  /** Whether `session` began with Muntin. */
  def isActive(session: classic.SparkSession): Boolean =
    Activation.isIn(SparkShims.extensions(session)) && !older.contains(session)

  /**
   * A session with Muntin: `session` itself where it began with it, else a clone, since rules and
   * functions are made once for a session, when it begins. Spark asks for the planner's strategies
   * at each query, so `session` itself plans its window functions with Muntin from now on, too.
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
      older.add(running)
      val clone = SparkShims.cloneSession(running)
      // It has the functions of its parent, which knows none of Muntin's.
      MuntinFunctions.all.foreach { function =>
        SparkShims.registerFunction(clone, function.qualifiedName, function.info, function(_))
      }
      SparkShims
        .registerTableFunction(clone, WindowBy.qualifiedName, WindowBy.info, WindowByTable(_))
      clone
    case _ =>
      throw new UnsupportedOperationException(
        "A Spark Connect client cannot register Muntin: it runs in the server. Start the server " +
          "with it: start-connect-server.sh --jars muntin-spark-" +
          s"${ThisJar.SPARK}_2.13-${ThisJar.VERSION}.jar"
      )
  }
}
