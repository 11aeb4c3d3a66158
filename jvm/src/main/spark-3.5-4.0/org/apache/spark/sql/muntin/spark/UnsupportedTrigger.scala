package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement

/**
 * The trigger of a query that does not run in micro-batches, and the condition of its error if it
 * has windows.
 */
object UnsupportedTrigger {
  def unapply(started: WriteToStreamStatement): Option[(String, String)] =
    Option.when(started.isContinuousTrigger)(("ContinuousTrigger", "MUNTIN_UNSUPPORTED_TRIGGER"))
}
