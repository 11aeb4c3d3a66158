package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{
  CreateStruct,
  Expression,
  RuntimeReplaceable,
  StructsToJson
}

/** Columns as a JSON object. */
object JsonOf {
  def apply(columns: Seq[Expression], timeZone: String): Expression = {
    val options = Map("ignoreNullFields" -> "false")
    StructsToJson(options, CreateStruct(columns), Some(timeZone)) match {
      case made: RuntimeReplaceable => made.replacement
      case made => made
    }
  }
}
