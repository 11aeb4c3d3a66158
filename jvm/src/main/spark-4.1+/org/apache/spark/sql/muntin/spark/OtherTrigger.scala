package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.{ContinuousTrigger, RealTimeTrigger}

/**
 * The trigger of a query that does not go from micro-batch to micro-batch, and, where there is more
 * to say, why windows do not run with it.
 */
object OtherTrigger {
  def unapply(started: WriteToStreamStatement): Option[(String, Option[String])] =
    started.trigger match {
      case other: ContinuousTrigger => Some((other.toString, None))
      case other: RealTimeTrigger => Some((other.toString, Some(WhyNotInRealTime)))
      case _ => None
    }

  private val WhyNotInRealTime =
    "Spark's real-time mode runs no operators but those of a list of its own, which has no sort, " +
      "and no state but that of Spark's own aggregations and deduplication"
}
