package org.apache.spark.sql.muntin.expressions.common

import io.muntin.kernel.fields.UnfitRow
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, BoundReference, ToPrettyString}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.spark.RowError

/** The runtime error for a row that a function does not accept. */
object InvalidRow {
  def apply(
      function: String,
      parameter: String,
      value: String,
      cause: Throwable = null
  ): RuntimeException = RowError.invalid(function, parameter, value.stripSuffix("."), cause)

  /**
   * Returns the error with the reason why a row has no window, and the columns of the row that the
   * query reads.
   */
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

/** Formats rows for errors: values with the names of their columns. */
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

  /** Shows times in the session's time zone. */
  def apply(output: Seq[Attribute]): ShownRow =
    ShownRow(output, SQLConf.get.sessionLocalTimeZone)
}
