package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  FunctionSignature,
  InputParameter,
  NamedParametersSupport
}
import org.apache.spark.sql.internal.SQLConf

/** The arguments of a call, by position or by name, as one for each parameter of the function. */
object ArgumentsInOrder {
  def apply(
      function: String,
      parameters: Seq[InputParameter],
      arguments: Seq[Expression]
  ): Seq[Expression] = NamedParametersSupport.defaultRearrange(
    FunctionSignature(parameters),
    arguments,
    function,
    SQLConf.get.resolver
  )
}
