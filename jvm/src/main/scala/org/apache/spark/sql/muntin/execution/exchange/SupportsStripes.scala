package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.spark.ExchangeBelow

/** An operator whose rows lie in stripes, so that the operator above can read the stripes. */
trait SupportsStripes extends SparkPlan {

  /** Returns true if the rows lie in stripes; then `StripedRows.stripes` returns the stripes. */
  def isStriped: Boolean
}

object SupportsStripes {

  /** Returns true if the rows that `plan` returns lie in stripes. */
  def isIn(plan: SparkPlan): Boolean = ExchangeBelow(plan) match {
    case some: SupportsStripes => some.isStriped
    case _ => false
  }
}
