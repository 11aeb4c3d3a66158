package org.apache.spark.sql.muntin.plans

import java.util.concurrent.ConcurrentHashMap

import org.apache.commons.text.similarity.LevenshteinDistance
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf

/**
 * Warns of settings `spark.muntin.…` that there are not, which Spark takes without a word: once for
 * each, at the first query behind it.
 */
object WarnSettings extends (LogicalPlan => Unit) with Logging {
  private val warned = ConcurrentHashMap.newKeySet[String]()

  override def apply(plan: LogicalPlan): Unit = SQLConf.get.getAllConfs.keys
    .filter(key => key.startsWith(MuntinConf.Prefix) && !MuntinConf.names.contains(key))
    .filter(warned.add)
    .foreach { key =>
      val distance = LevenshteinDistance.getDefaultInstance
      val nearest = MuntinConf.names.minBy(name => distance(name, key).intValue)
      logWarning(s"There is no setting $key, and it changes nothing. Is it $nearest?")
    }
}
