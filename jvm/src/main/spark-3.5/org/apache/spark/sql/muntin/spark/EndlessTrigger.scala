package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/** The trigger of a query that does not end when its sources have no more rows. */
object EndlessTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] =
    Option.when(started.isContinuousTrigger)("ContinuousTrigger")
}
