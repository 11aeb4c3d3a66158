package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, TimestampAddInterval}

/** Matches the sum of a timestamp and an interval. */
object TimestampPlus {
  def apply(time: Expression, interval: Expression, timeZone: String): Expression =
    TimestampAddInterval(time, interval, Some(timeZone))

  def unapply(sum: TimestampAddInterval): Some[(Expression, Expression)] =
    Some((sum.start, sum.interval))
}
