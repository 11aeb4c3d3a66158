package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.JoinType

/**
 * The plan of an as-of join's task. A row of the left side for which `mayMatch` is not true has no
 * match. A match must satisfy `within`, a condition on both rows. The output has these `columns` of
 * both rows.
 */
private[asof] final case class AsOfPlan(
    ofLeft: AsOfSide,
    ofRight: AsOfSide,
    joinType: JoinType,
    reach: AsOfReach,
    mayMatch: Option[Expression],
    within: Option[Expression],
    columns: Seq[Attribute]
)
