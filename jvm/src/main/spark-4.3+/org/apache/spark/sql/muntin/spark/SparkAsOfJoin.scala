package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{AsOfJoin, LogicalPlan}

/** Matches Spark's own as-of joins. */
object SparkAsOfJoin {
  def unapply(plan: LogicalPlan): Option[AsOfJoin] = plan match {
    case join: AsOfJoin => Some(join)
    case _ => None
  }

  /** Returns true for ASOF JOIN … MATCH_CONDITION. */
  def hasMatchCondition(join: AsOfJoin): Boolean = join.requiresSortMergeAsOfJoin

  /** Returns the sort expressions of MATCH_CONDITION for the left and the right side. */
  def sorted(join: AsOfJoin): (Seq[Expression], Seq[Expression]) =
    (join.leftSortExprs, join.rightSortExprs)
}
