package org.apache.spark.sql.muntin.expressions.common

import io.muntin.kernel.fields.InvalidWindowRowException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, ToPrettyString}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException

/** Formats rows for errors: values with the names of their columns. */
final case class RowFormatter(output: Seq[Attribute], timeZone: String) {
  import RowFormatter.MostCharacters

  def apply(row: InternalRow): String =
    output.zipWithIndex.map { case (a, i) =>
      val pretty = ToPrettyString(BoundReference(i, a.dataType, a.nullable), Some(timeZone))
      val value = pretty.eval(row).toString
      val short =
        if (value.length > MostCharacters) s"${value.take(MostCharacters)}…" else value
      s"${a.name} = $short"
    }.mkString(", ")

  /** Returns the error of `function` for a row that it does not accept. */
  def error(
      function: String,
      reason: InvalidWindowRowException,
      row: InternalRow
  ): RuntimeException = {
    val shown = if (output.isEmpty) "unknown" else apply(row)
    val parameters = reason.parameters ++ Seq("function" -> function, "row" -> shown)
    new MuntinRuntimeException(reason.condition, parameters, reason)
  }
}

object RowFormatter {
  private val MostCharacters = 100

  /** Shows times in the session's time zone. */
  def apply(output: Seq[Attribute]): RowFormatter =
    RowFormatter(output, SQLConf.get.sessionLocalTimeZone)
}
