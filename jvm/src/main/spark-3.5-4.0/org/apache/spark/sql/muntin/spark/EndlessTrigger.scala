package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/**
 * Matches the trigger of a query that does not end when its sources have no more rows. Before Spark
 * 4.1, the analyzed query does not contain its trigger: the check runs when the query runs.
 */
object EndlessTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] =
    Option.when(started.isContinuousTrigger)("ContinuousTrigger")
}
