package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, TimestampAddInterval}

/** A timestamp and an interval that is added to it. */
object TimestampPlus {
  def apply(time: Expression, interval: Expression, timeZone: String): Expression =
    TimestampAddInterval(time, interval, Some(timeZone))

  def unapply(sum: TimestampAddInterval): Some[(Expression, Expression)] =
    Some((sum.start, sum.interval))
}
