package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.{ContinuousTrigger, RealTimeTrigger}

/**
 * The trigger of a query that windows do not run with, and, where there is more to say, why they do
 * not.
 */
object OtherTrigger {
  def unapply(started: WriteToStreamStatement): Option[(String, Option[String])] =
    started.trigger match {
      case other: ContinuousTrigger => Some((other.toString, None))
      case other: RealTimeTrigger if !RealTimeMode.hasState =>
        Some((other.toString, Some("real-time mode runs operators with state from Spark 4.3")))
      case _ => None
    }
}
