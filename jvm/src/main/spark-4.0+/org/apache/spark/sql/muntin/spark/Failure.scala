package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{CreateMap, Expression, Literal, RaiseError}
import org.apache.spark.sql.types.DataType

/** An expression that fails with a message when it is evaluated, in the place of one of a type. */
object Failure {
  def apply(message: String, dataType: DataType): Expression = RaiseError(
    Literal("USER_RAISED_EXCEPTION"),
    CreateMap(Seq(Literal("errorMessage"), Literal(message))),
    dataType
  )
}
