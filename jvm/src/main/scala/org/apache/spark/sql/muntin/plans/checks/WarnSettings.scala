package org.apache.spark.sql.muntin.plans.checks

import java.util.concurrent.ConcurrentHashMap

import org.apache.commons.text.similarity.LevenshteinDistance
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.SetCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.errors.ErrorConditions

/**
 * Warns of unknown settings `spark.muntin.…`, which Spark accepts silently: once for each
 * name, when SET sets it, or at the next query.
 */
class WarnSettings extends (LogicalPlan => Unit) with Logging {
  private val warned = ConcurrentHashMap.newKeySet[String]()

  override def apply(plan: LogicalPlan): Unit = {
    (SQLConf.get.getAllConfs.keys ++ keyOf(plan))
      .filter(key => key.startsWith(MuntinConf.Prefix) && !MuntinConf.names.contains(key))
      .filter(warned.add)
      .foreach { key =>
        val distance = LevenshteinDistance.getDefaultInstance
        val nearest = MuntinConf.names.minBy(name => distance(name, key).intValue)
        warn("MUNTIN_UNKNOWN_SETTING", "setting" -> key, "suggestion" -> nearest)
      }
    // A session accepts its builder's settings even after the context has started.
    if (!SQLConf.get.getConf(MuntinConf.Enabled) && warned.add(MuntinConf.Enabled.key)) {
      warn(
        "MUNTIN_SETTING_OF_APPLICATION",
        "setting" -> s"${MuntinConf.Enabled.key}=false",
        "alternative" -> s"${MuntinConf.OverEnabled.key}=false"
      )
    }
  }

  private def warn(condition: String, parameters: (String, String)*): Unit =
    logWarning(ErrorConditions(condition).message(parameters.toMap))

  private def keyOf(plan: LogicalPlan): Option[String] = plan match {
    case SetCommand(Some((key, Some(_)))) => Some(key)
    case _ => None
  }
}

/** The check of all sessions. */
object WarnSettings extends WarnSettings
