package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  FunctionSignature,
  InputParameter,
  NamedParametersSupport
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.NullType

/**
 * A function that Muntin adds to SQL: `CALL_FUNCTION` of its name is what Python and Scala call. Its
 * arguments come by position or by name.
 */
trait SqlFunction {
  def name: String

  /** The name that Spark knows the function by: no function of a user's has it. */
  final def qualifiedName: String = s"muntin.$name"

  /** The parameters, those with a default last. */
  def parameters: Seq[InputParameter]

  /** What DESCRIBE FUNCTION shows, with _FUNC_ in place of the name. */
  def usage: String

  /** A query with it, and what that gives. */
  def example: SqlFunction.Example

  /** The expression for these arguments: one for each parameter, in their order. */
  protected def build: PartialFunction[Seq[Expression], Expression]

  final def apply(arguments: Seq[Expression]): Expression = build(inOrder(arguments))

  /** The arguments of a call, one for each parameter. */
  private[muntin] final def inOrder(arguments: Seq[Expression]): Seq[Expression] =
    NamedParametersSupport.defaultRearrange(
      FunctionSignature(parameters),
      arguments,
      name,
      SQLConf.get.resolver
    )

  final def info: ExpressionInfo =
    new ExpressionInfo(
      getClass.getName.stripSuffix("$"),
      null,
      name,
      usage,
      "",
      example.text,
      "",
      "agg_funcs",
      "0.1.0",
      "",
      "scala_udf"
    )

  protected final def required(parameter: String): InputParameter = InputParameter(parameter)

  protected final def optional(parameter: String, default: Literal): InputParameter =
    InputParameter(parameter, Some(default))

  /** A parameter that reads rows, or is left out. */
  protected final def optional(parameter: String): InputParameter =
    optional(parameter, Literal(null, NullType))
}

object SqlFunction {

  /** A query, and the rows of its only column. */
  final case class Example(query: String, rows: String*) {
    private[muntin] def text: String =
      s"\n    Examples:\n      > $query;\n${rows.map(row => s"       $row\n").mkString}"
  }
}
