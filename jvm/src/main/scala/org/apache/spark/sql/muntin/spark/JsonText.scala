package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  CreateNamedStruct,
  Expression,
  Literal,
  RuntimeReplaceable,
  StructsToJson
}

/** Columns as a JSON object. */
object JsonText {
  def apply(columns: Seq[Attribute], timeZone: String): Expression = made(
    columns.map(a => a.name -> a),
    timeZone
  )

  /** Returns a text that is equal for equal columns in every session, and differs for others. */
  def key(columns: Seq[(String, Expression)]): Expression = made(columns, "UTC")

  // Without a format, Spark writes only milliseconds.
  private val MicrosWithoutZone = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS"
  private val Micros = MicrosWithoutZone + "XXX"

  private def made(
      columns: Seq[(String, Expression)],
      timeZone: String
  ): Expression = {
    val options = Map(
      "timestampFormat" -> Micros,
      "timestampNTZFormat" -> MicrosWithoutZone,
      "ignoreNullFields" -> "false"
    )
    val row = CreateNamedStruct(columns.flatMap { case (name, e) => Seq(Literal(name), e) })
    StructsToJson(options, row, Some(timeZone)) match {
      case made: RuntimeReplaceable => made.replacement
      case made => made
    }
  }
}
