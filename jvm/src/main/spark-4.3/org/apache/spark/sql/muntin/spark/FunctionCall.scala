package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.Expression

/** A call of a function by its name, before it is resolved. */
object FunctionCall {
  def apply(name: Seq[String], arguments: Seq[Expression]): UnresolvedFunction =
    UnresolvedFunction(name, arguments, isDistinct = false)

  /** Whether the call has IGNORE NULLS or RESPECT NULLS. */
  def saysNulls(call: UnresolvedFunction): Boolean = call.ignoreNulls.isDefined
}
