package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.logical.{Join, JoinHint, LogicalPlan}

/** Matches a join with any hint: both sides, its type and its condition. */
object JoinOn {
  def apply(
      left: LogicalPlan,
      right: LogicalPlan,
      joinType: JoinType,
      condition: Expression
  ): Join = Join(left, right, joinType, Some(condition), JoinHint.NONE)

  def unapply(join: Join): Some[(LogicalPlan, LogicalPlan, JoinType, Option[Expression])] =
    Some((join.left, join.right, join.joinType, join.condition))
}
