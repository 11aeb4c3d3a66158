package org.apache.spark.sql.muntin

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.dialect.{MuntinFunctions, TableFunction}
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinRuntimeException}

/** Muntin in a session that runs already. */
object Registration extends Logging {

  /**
   * Returns true if `session` has Muntin. Sessions inherit the extensions of the session that they
   * are created from. They have functions and rules, which are created once per session, only if
   * they were first used after Muntin was injected.
   */
  def isActive(session: SparkSession): Boolean =
    Activation.isIn(LocalSession.extensions(session)) &&
      LocalSession.hasFunction(session, WindowBy.qualifiedName)

  /**
   * Returns a session with Muntin: `session` itself if it has Muntin or has not been used yet; else
   * a clone, because rules and functions are created once per session. Spark reads the planner's
   * strategies at each query, so from then on `session` also plans its window functions with
   * Muntin. If the switch `spark.muntin.enabled` turns Muntin off, returns `session` unchanged,
   * with a warning in the log.
   */
  def register(session: SparkSession): SparkSession =
    if (!LocalSession.is(session)) {
      throw new MuntinRuntimeException(
        "MUNTIN_REGISTRATION_ON_CONNECT_CLIENT",
        "jar" -> s"muntin-spark-${ThisJar.SPARK}_${ThisJar.SCALA}-${ThisJar.VERSION}.jar"
      )
    } else if (isActive(session)) session
    else if (MuntinExtensions.switchedOff() != null) {
      // The switch belongs to the operator of the program: the program runs without Muntin.
      logWarning(MuntinExtensions.switchedOff())
      session
    } else {
      // The texts have conditions; the class of errors with conditions may not load on this Spark.
      Option(MuntinExtensions.whyOff(session.version)).foreach { reason =>
        throw new IllegalStateException(reason)
      }
      if (!Activation.applyOnce(LocalSession.extensions(session))) {
        throw new IllegalStateException(ThisJar.failed())
      }
      if (isActive(session)) session else withFunctions(LocalSession.copy(session))
    }

  /** A clone has the functions of its parent, which does not have Muntin's functions. */
  private def withFunctions(clone: SparkSession): SparkSession = {
    MuntinFunctions.all.foreach { function =>
      LocalSession.registerFunction(clone, function.qualifiedName, function.info, function(_))
    }
    MuntinFunctions.tables.foreach { case TableFunction(function, _, table) =>
      LocalSession.registerTableFunction(clone, function.qualifiedName, function.info, table)
    }
    clone
  }
}
