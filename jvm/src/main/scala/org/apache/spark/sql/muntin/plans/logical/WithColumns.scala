package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** A plan with columns for expressions. */
private[plans] final class WithColumns(val plan: LogicalPlan, val attributes: Seq[Attribute])

private[plans] object WithColumns {
  def apply(plan: LogicalPlan, expressions: Seq[(String, Expression)]): WithColumns = {
    val columns = expressions.map {
      case (_, a: Attribute) => a
      case (name, e) => Alias(e, name)()
    }
    new WithColumns(
      project(plan, columns.collect { case a: Alias => a }),
      columns.map(_.toAttribute)
    )
  }

  def project(plan: LogicalPlan, columns: Seq[Alias]): LogicalPlan =
    if (columns.isEmpty) plan else Project(plan.output ++ columns, plan)
}
