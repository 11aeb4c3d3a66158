package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.streaming.WriteToStreamStatement
import org.apache.spark.sql.execution.streaming.{ContinuousTrigger, RealTimeTrigger}

/** Matches a trigger that does not support windows, and the condition of the error. */
object UnsupportedTrigger {
  def unapply(started: WriteToStreamStatement): Option[(String, String)] =
    started.trigger match {
      case other: ContinuousTrigger => Some((other.toString, "MUNTIN_UNSUPPORTED_TRIGGER"))
      case other: RealTimeTrigger if !RealTimeMode.hasState =>
        Some((other.toString, "MUNTIN_WINDOWS_IN_REAL_TIME_MODE"))
      case _ => None
    }
}
