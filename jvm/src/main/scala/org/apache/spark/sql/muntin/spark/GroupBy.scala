package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}

/** A GROUP BY: the grouping expressions, the columns, and the child. */
object GroupBy {
  def apply(keys: Seq[Expression], columns: Seq[NamedExpression], child: LogicalPlan): Aggregate =
    Aggregate(keys, columns, child)

  def unapply(
      aggregate: Aggregate
  ): Some[(Seq[Expression], Seq[NamedExpression], LogicalPlan)] =
    Some((aggregate.groupingExpressions, aggregate.aggregateExpressions, aggregate.child))

  /** Throws Spark's AnalysisException if the GROUP BY is invalid. */
  def check(aggregate: Aggregate): Unit = CheckGroupBy(aggregate)
}
