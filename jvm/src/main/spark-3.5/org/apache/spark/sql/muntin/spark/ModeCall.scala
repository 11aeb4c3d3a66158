package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** mode: its input, and whether of several most frequent values the greatest is the result. */
object ModeCall {

  // Spark 3.5 takes any of them.
  def unapply(mode: Mode): Some[(Expression, Boolean)] = Some((mode.child, false))
}
