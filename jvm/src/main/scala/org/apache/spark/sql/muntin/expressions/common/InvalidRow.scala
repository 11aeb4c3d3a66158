package org.apache.spark.sql.muntin.expressions.common

import io.muntin.kernel.fields.UnfitRow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, ToPrettyString}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.spark.RowError

/** The error of a row that a function does not take, found while a query runs. */
object InvalidRow {
  def apply(
      function: String,
      parameter: String,
      value: String,
      cause: Throwable = null
  ): RuntimeException = RowError.invalid(function, parameter, value.stripSuffix("."), cause)

  /** Why there is no window for a row, and the row as far as the query reads it. */
  def apply(
      function: String,
      why: UnfitRow,
      row: InternalRow,
      shown: ShownRow
  ): RuntimeException = {
    val where = if (shown.isEmpty) "" else s" (in the row ${shown(row)})"
    apply(function, why.parameter, s"${why.getMessage}$where", why)
  }
}

/** Rows as an error shows them: values with the names of their columns. */
final case class ShownRow(output: Seq[Attribute], timeZone: String) {
  import ShownRow.MostCharacters

  def isEmpty: Boolean = output.isEmpty

  def apply(row: InternalRow): String =
    output.zipWithIndex.map { case (a, i) =>
      val pretty = ToPrettyString(BoundReference(i, a.dataType, a.nullable), Some(timeZone))
      val value = pretty.eval(row).toString
      val short =
        if (value.length > MostCharacters) s"${value.take(MostCharacters)}…" else value
      s"${a.name} = $short"
    }.mkString(", ")
}

object ShownRow {
  private val MostCharacters = 100

  /** Times in the session's time zone. */
  def apply(output: Seq[Attribute]): ShownRow =
    ShownRow(output, SQLConf.get.sessionLocalTimeZone)
}
