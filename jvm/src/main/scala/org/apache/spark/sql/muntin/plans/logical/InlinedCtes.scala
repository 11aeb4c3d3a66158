package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeMap, AttributeReference}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{AnalysisHelper, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.TreePattern.CTE

/**
 * A plan with its CTEs inlined, as after the optimizer, so that windows see the plan below them.
 * Spark resolves references to a CTE before the windows in the CTE have a column. Therefore the
 * columns above get the types and the watermarks of the columns below.
 */
private[plans] object InlinedCtes {
  def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsPattern(CTE)) plan
    else AnalysisHelper.allowInvokingTransformsInAnalyzer(InlineCTE()(plan).transformUp(renewed))

  private val renewed: PartialFunction[LogicalPlan, LogicalPlan] = {
    case node if node.resolved && node.children.nonEmpty =>
      val inlinedColumns = AttributeMap(node.children.flatMap(_.output).map(a => a -> a))
      node.transformExpressions {
        case a: AttributeReference if inlinedColumns.get(a).exists(isOther(a, _)) =>
          val inlined = inlinedColumns(a)
          AttributeReference(a.name, inlined.dataType, a.nullable, inlined.metadata)(
            a.exprId,
            a.qualifier
          )
      }
  }

  private def isOther(column: Attribute, inlined: Attribute): Boolean =
    column.dataType != inlined.dataType || column.metadata != inlined.metadata
}
