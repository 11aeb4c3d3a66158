package org.apache.spark.sql.muntin.plans

import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.streaming.StreamStore

/**
 * Windows over streams need a state store that Spark does not take by default. Where the session names none,
 * this names it as a query with such windows is started: before Spark copies the session's settings for
 * the query, and writes them into its checkpoint. Checkpoints that are there already have their own.
 */
object StreamStateStore extends (LogicalPlan => Unit) with Logging {
  private val setting = SQLConf.STATE_STORE_PROVIDER_CLASS

  override def apply(plan: LogicalPlan): Unit = plan match {
    case started: WriteToStream if !SQLConf.get.contains(setting.key) && hasWindows(started) =>
      SQLConf.get.setConf(setting, StreamStore.Provider)
      logInfo(
        s"Windows over a stream have their state in RocksDB: ${setting.key} is now ${StreamStore.Provider}"
      )
    case _ =>
  }

  def hasWindows(plan: LogicalPlan): Boolean = plan.exists {
    case _: StreamWindows | _: GroupWindows => true
    case windows: AnchoredWindows => windows.due.isDefined
    case _ => false
  }
}
