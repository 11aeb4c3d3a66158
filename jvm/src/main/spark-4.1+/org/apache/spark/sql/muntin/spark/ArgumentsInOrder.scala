package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.{
  FunctionSignature,
  InputParameter,
  NamedParametersSupport
}
import org.apache.spark.sql.internal.SQLConf

/**
 * Returns one argument for each parameter of the function, from arguments by position or by name.
 */
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
