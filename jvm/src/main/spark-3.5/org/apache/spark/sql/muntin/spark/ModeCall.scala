package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.Mode

/** mode: its input, and whether the greatest of several most frequent values is the result. */
object ModeCall {

  // Spark 3.5 returns any of them.
  def unapply(mode: Mode): Some[(Expression, Boolean)] = Some((mode.child, false))
}
