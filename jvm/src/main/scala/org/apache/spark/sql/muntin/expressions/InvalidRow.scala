package org.apache.spark.sql.muntin.expressions

import org.apache.spark.SparkRuntimeException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, ToPrettyString}

/** The error of a row that a function does not take, found while a query runs. */
object InvalidRow {
  def apply(function: String, parameter: String, value: String): SparkRuntimeException =
    new SparkRuntimeException(
      errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
      messageParameters = Map(
        "parameter" -> s"`$parameter`",
        "functionName" -> s"`$function`",
        "value" -> value.stripSuffix(".")
      )
    )
}

/** Rows as an error shows them: the columns with their names. */
final case class ShownRow(output: Seq[Attribute], timeZone: String) {
  def apply(row: InternalRow): String =
    output.zipWithIndex.map { case (a, i) =>
      val value = ToPrettyString(BoundReference(i, a.dataType, a.nullable), Some(timeZone))
      s"${a.name} = ${value.eval(row)}"
    }.mkString("(", ", ", ")")
}
