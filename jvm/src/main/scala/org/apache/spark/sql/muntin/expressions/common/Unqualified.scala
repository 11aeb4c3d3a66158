package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}

/**
 * Formats an expression without the alias of its rows. Spark's optimizer may or may not keep the
 * alias: the plan of a micro-batch without rows differs.
 */
object Unqualified {
  def sql(expression: Expression): String =
    expression.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql
}
