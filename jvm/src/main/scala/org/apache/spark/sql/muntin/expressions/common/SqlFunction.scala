package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.muntin.spark.ArgumentsInOrder

/**
 * A function that Muntin adds to SQL. Python and Scala call it with `CALL_FUNCTION` of its name.
 * Its arguments are given by position or by name.
 */
trait SqlFunction {

  /** Returns the documentation of the function, in every language. */
  def definition: Definition

  final def name: String = definition.name

  /** Returns the function's name in Spark's registry; no user's function has this name. */
  final def qualifiedName: String = s"muntin.$name"

  def parameters: Seq[InputParameter] = definition.parameters

  /** Returns the expression for these arguments: one for each parameter, in their order. */
  protected def build: PartialFunction[Seq[Expression], Expression]

  final def apply(arguments: Seq[Expression]): Expression = build(inOrder(arguments))

  /** Returns the arguments of a call, one for each parameter. */
  private[muntin] final def inOrder(arguments: Seq[Expression]): Seq[Expression] =
    ArgumentsInOrder(name, parameters, arguments)

  final def info: ExpressionInfo =
    new ExpressionInfo(
      getClass.getName.stripSuffix("$"),
      null,
      name,
      definition.usage,
      definition.arguments,
      definition.examples,
      "",
      definition.group,
      definition.since,
      "",
      "scala_udf"
    )
}
