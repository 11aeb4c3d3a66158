package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.{NameParameterizedQuery, PosParameterizedQuery}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{
  HybridParameterContext,
  NamedParameterContext,
  ParameterContext,
  PositionalParameterContext
}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A plan whose parameters the analyzer binds. Spark substitutes their values in the text before it
 * parses it, and this fails for a text that Spark cannot parse.
 */
private[spark] object BoundParameters {
  def apply(plan: LogicalPlan, parameters: ParameterContext): LogicalPlan = parameters match {
    case NamedParameterContext(values) => named(plan, values.keys.toSeq, values.values.toSeq)
    case PositionalParameterContext(values) => positional(plan, values)
    case HybridParameterContext(values, names) =>
      if (names.exists(_.nonEmpty)) named(plan, names, values) else positional(plan, values)
  }

  private def named(plan: LogicalPlan, names: Seq[String], values: Seq[Expression]): LogicalPlan =
    if (values.isEmpty) plan else NameParameterizedQuery(plan, names, values)

  private def positional(plan: LogicalPlan, values: Seq[Expression]): LogicalPlan =
    if (values.isEmpty) plan else PosParameterizedQuery(plan, values)
}
