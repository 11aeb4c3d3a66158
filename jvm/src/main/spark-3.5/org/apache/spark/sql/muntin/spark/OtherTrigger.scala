package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/** The trigger of a query that does not go from micro-batch to micro-batch. */
object OtherTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] =
    Option.when(started.isContinuousTrigger)("ContinuousTrigger")
}
