package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.muntin.spark.ArgumentsInOrder

/**
 * A function that Muntin adds to SQL: `CALL_FUNCTION` of its name is what Python and Scala call.
 * Its arguments come by position or by name.
 */
trait SqlFunction {

  /** What users read of it, in every language. */
  def definition: Definition

  final def name: String = definition.name

  /** The name that Spark knows the function by; no user's function has this name. */
  final def qualifiedName: String = s"muntin.$name"

  def parameters: Seq[InputParameter] = definition.parameters

  /** The expression for these arguments: one for each parameter, in their order. */
  protected def build: PartialFunction[Seq[Expression], Expression]

  final def apply(arguments: Seq[Expression]): Expression = build(inOrder(arguments))

  /** The arguments of a call, one for each parameter. */
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
      "agg_funcs",
      "0.1.0",
      "",
      "scala_udf"
    )
}
