package org.apache.spark.sql.muntin.spark

import java.util.regex.Pattern

import org.apache.spark.sql.catalyst.analysis.UnresolvedRegex
import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}

/** Projects an expression, followed by all columns except one, before they are resolved. */
object ReplacedColumn {

  // The node that drops columns exists since Spark 3.5.1.
  def apply(column: String, before: NamedExpression, rows: LogicalPlan): LogicalPlan = {
    val others = s"(?s)(?!${Pattern.quote(column)}$$).*"
    Project(Seq(before, UnresolvedRegex(others, None, caseSensitive = true)), rows)
  }
}
