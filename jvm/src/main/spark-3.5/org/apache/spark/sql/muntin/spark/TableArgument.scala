package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.FunctionTableSubqueryArgumentExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * TABLE(…) as an argument: the table, and whether PARTITION BY or ORDER BY follows, which exist
 * since Spark 4.0.
 */
object TableArgument {
  def unapply(table: FunctionTableSubqueryArgumentExpression): Some[(LogicalPlan, Boolean)] =
    Some((table.plan, false))
}
