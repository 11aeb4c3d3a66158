package org.apache.spark.sql.muntin.plans.checks

import java.util.concurrent.ConcurrentHashMap

import org.apache.commons.text.similarity.LevenshteinDistance
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.SetCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * Warns of unknown settings `spark.muntin.…`, which Spark accepts silently: once for each
 * name, when SET sets it, or at the next query.
 */
object WarnSettings extends (LogicalPlan => Unit) with Logging {
  private val warned = ConcurrentHashMap.newKeySet[String]()

  override def apply(plan: LogicalPlan): Unit = {
    (SQLConf.get.getAllConfs.keys ++ keyOf(plan))
      .filter(key => key.startsWith(MuntinConf.Prefix) && !MuntinConf.names.contains(key))
      .filter(warned.add)
      .foreach { key =>
        val distance = LevenshteinDistance.getDefaultInstance
        val nearest = MuntinConf.names.minBy(name => distance(name, key).intValue)
        logWarning(s"Unknown setting `$key` has no effect. Did you mean `$nearest`?")
      }
    // A session accepts its builder's settings even after the context has started.
    if (!SQLConf.get.getConf(MuntinConf.Enabled) && warned.add(MuntinConf.Enabled.key)) {
      logWarning(
        s"`${MuntinConf.Enabled.key}=false` has no effect in a session of a running application: " +
          "Muntin reads it when the application starts. Set it in spark-defaults.conf or by " +
          s"--conf, or set `${MuntinConf.OverEnabled.key}=false` in the session."
      )
    }
  }

  private def keyOf(plan: LogicalPlan): Option[String] = plan match {
    case SetCommand(Some((key, Some(_)))) => Some(key)
    case _ => None
  }
}
