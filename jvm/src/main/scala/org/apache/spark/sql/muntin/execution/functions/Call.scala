package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.{Expression, If, Literal}
import org.apache.spark.sql.types.BooleanType

/** A window function and its FILTER. */
final case class Call(function: Expression, filter: Option[Expression]) {

  /** Returns `input` if the row passes the filter, else null: for functions that ignore nulls. */
  def masked(input: Expression): Expression =
    filter.fold(input)(If(_, input, Literal(null, input.dataType)))

  /** Returns an expression that is not null if the row passes the filter; None without a filter. */
  def marks: Option[Expression] = filter.map(If(_, Literal(true), Literal(null, BooleanType)))
}
