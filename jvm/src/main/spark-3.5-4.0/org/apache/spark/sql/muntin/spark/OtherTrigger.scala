package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/**
 * The trigger of a query that does not go from micro-batch to micro-batch, and, where there is more
 * to say, why windows do not run with it.
 */
object OtherTrigger {
  def unapply(started: WriteToStreamStatement): Option[(String, Option[String])] =
    Option.when(started.isContinuousTrigger)(("ContinuousTrigger", None))
}
