package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, RaiseError}
import org.apache.spark.sql.types.DataType

/** An expression that fails with a message when it is evaluated, in the place of one of a type. */
object Failure {
  def apply(message: String, dataType: DataType): Expression =
    RaiseError(Literal(message), dataType)
}
