package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}

/**
 * What an expression computes, under whatever alias the query names its rows. Spark's optimizer
 * leaves the alias out or not: the plan of a micro-batch without rows is another.
 */
object Unqualified {
  def sql(expression: Expression): String =
    expression.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql
}
