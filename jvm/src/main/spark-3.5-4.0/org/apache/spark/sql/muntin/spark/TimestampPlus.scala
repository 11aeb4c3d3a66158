package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, TimeAdd}

/** A timestamp and an interval that is added to it. */
object TimestampPlus {
  def apply(time: Expression, interval: Expression, timeZone: String): Expression =
    TimeAdd(time, interval, Some(timeZone))

  def unapply(sum: TimeAdd): Some[(Expression, Expression)] = Some((sum.start, sum.interval))
}
