package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/**
 * The trigger of a query that does not end when its sources have no more rows. Before Spark 4.1 a
 * query that is analyzed does not say its trigger: it is found when the query runs.
 */
object EndlessTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] =
    Option.when(started.isContinuousTrigger)("ContinuousTrigger")
}
