package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.{ContinuousTrigger, RealTimeTrigger}

/** The trigger of a query that does not go from micro-batch to micro-batch. */
object OtherTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] = started.trigger match {
    case other @ (_: ContinuousTrigger | _: RealTimeTrigger) => Some(other.toString)
    case _ => None
  }
}
