package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.util.IntervalUtils
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

/** Parses a duration as Spark's own `window` accepts it: '30 seconds', '1 hour 30 minutes'. */
private[expressions] object DurationText {
  def unapply(text: UTF8String): Option[CalendarInterval] =
    Option(IntervalUtils.safeStringToInterval(text))
}
