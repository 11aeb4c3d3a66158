package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.{AsOfJoin, LogicalPlan}

/** An as-of join of Spark's own that Spark would make a join with all rows. */
object SparksAsOfJoin {
  def unapply(plan: LogicalPlan): Option[AsOfJoin] = plan match {
    case join: AsOfJoin if !join.requiresSortMergeAsOfJoin => Some(join)
    case _ => None
  }
}
