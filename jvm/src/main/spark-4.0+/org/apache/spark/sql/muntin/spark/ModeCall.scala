package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** mode: its input, and whether the greatest of several most frequent values is the result. */
object ModeCall {

  // Spark's "reverse" inverts the order, in which the greatest wins.
  def unapply(mode: Mode): Some[(Expression, Boolean)] =
    Some((mode.child, mode.reverseOpt.contains(false)))
}
