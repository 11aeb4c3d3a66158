package org.apache.spark.sql.muntin

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.expressions.WindowBy
import org.apache.spark.sql.muntin.plans.dialect.{MuntinFunctions, TableFunction}
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinRuntimeException}

/** Muntin in a session that runs already. */
object Registration extends Logging {

  /**
   * Whether `session` has Muntin. Sessions share their extensions with those that they are
   * made from, but what is made once for a session, its functions and its rules, they have only if
   * they were first used after Muntin was injected.
   */
  def isActive(session: SparkSession): Boolean =
    Activation.isIn(LocalSession.extensions(session)) &&
      LocalSession.hasFunction(session, WindowBy.qualifiedName)

  /**
   * A session with Muntin: `session` itself where it has Muntin or has not been used yet, else a
   * clone, since rules and functions are made once for a session. Spark asks for the planner's
   * strategies at each query, so `session` itself plans its window functions with Muntin from now
   * on, too. If the switch `spark.muntin.enabled` turns Muntin off, returns `session` unchanged,
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
      // The switch belongs to whoever runs the program: the program runs without Muntin.
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

  /** A clone has the functions of its parent, which knows none of Muntin's. */
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
