package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}

/** Matches a call of a function by its name, before it is resolved. */
object FunctionCall {
  def apply(name: Seq[String], arguments: Seq[Expression]): UnresolvedFunction =
    UnresolvedFunction(name, arguments, isDistinct = false)

  /**
   * The order of WITHIN GROUP: before Spark 4.0, the parser converts the call to an aggregate
   * without the order.
   */
  def order(call: UnresolvedFunction): Seq[SortOrder] = {
    require(call != null)
    Nil
  }

  def withOrder(call: UnresolvedFunction, order: Seq[SortOrder]): UnresolvedFunction = {
    require(order.isEmpty)
    call
  }

  /** Returns the call with FILTER, and without IGNORE NULLS. */
  def filtered(call: UnresolvedFunction, filter: Option[Expression]): UnresolvedFunction =
    FunctionNames.withoutNulls(call).copy(filter = filter)

  def ignoresNulls(call: UnresolvedFunction): Boolean = FunctionNames.ignoresNulls(call)

  /** Returns true if the function is built into Spark. */
  def isSparks(name: String): Boolean =
    FunctionRegistry.builtin.functionExists(FunctionNames.builtin(name))

  /** Returns true if the call has IGNORE NULLS or RESPECT NULLS, as far as Spark keeps it. */
  def hasNullTreatment(call: UnresolvedFunction): Boolean = FunctionNames.hasNullTreatment(call)
}
