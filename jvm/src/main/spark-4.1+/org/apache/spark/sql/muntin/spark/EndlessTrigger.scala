package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.AvailableNowTrigger

/** Matches the trigger of a query that does not end when its sources have no more rows. */
object EndlessTrigger {
  def unapply(started: WriteToStreamStatement): Option[String] =
    Some(started.trigger).filter(_ != AvailableNowTrigger).map(_.toString)
}
