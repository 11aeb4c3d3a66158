package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.UnfitRow
import org.apache.spark.SparkRuntimeException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, ToPrettyString}
import org.apache.spark.sql.internal.SQLConf

/** The error of a row that a function has no window for: why, and the row as far as the query reads it. */
private[execution] object RowError {
  private val MostCharacters = 100

  def apply(
      function: String,
      why: UnfitRow,
      row: InternalRow,
      attributes: Seq[Attribute]
  ): SparkRuntimeException = {
    val shown = if (attributes.isEmpty) "" else s" (in the row ${text(row, attributes)})"
    new SparkRuntimeException(
      errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
      messageParameters = Map(
        "parameter" -> s"`${why.parameter}`",
        "functionName" -> s"`$function`",
        "value" -> s"${why.getMessage}$shown"
      ),
      cause = why
    )
  }

  private def text(row: InternalRow, attributes: Seq[Attribute]): String = {
    val zone = SQLConf.get.sessionLocalTimeZone
    attributes.zipWithIndex.map { case (a, i) =>
      val value = ToPrettyString(BoundReference(i, a.dataType, a.nullable), Some(zone)).eval(row)
      val whole = value.toString
      val short =
        if (whole.length > MostCharacters) s"${whole.take(MostCharacters)}…" else whole
      s"${a.name} = $short"
    }.mkString(", ")
  }
}
