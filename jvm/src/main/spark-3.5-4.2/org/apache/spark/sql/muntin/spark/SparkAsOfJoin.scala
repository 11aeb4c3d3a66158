package org.apache.spark.sql.muntin.spark

import scala.annotation.unused

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{AsOfJoin, LogicalPlan}

/** Matches Spark's own as-of joins. */
object SparkAsOfJoin {
  def unapply(plan: LogicalPlan): Option[AsOfJoin] = plan match {
    case join: AsOfJoin => Some(join)
    case _ => None
  }

  /** Returns true for ASOF JOIN … MATCH_CONDITION, which exists since Spark 4.3. */
  def hasMatchCondition(@unused join: AsOfJoin): Boolean = false

  /** Returns the sort expressions of MATCH_CONDITION for the left and the right side. */
  def sorted(@unused join: AsOfJoin): (Seq[Expression], Seq[Expression]) = (Nil, Nil)
}
