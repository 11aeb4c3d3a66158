package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.types.DataType

/** The type TIME, if the Spark supports percentiles of it. */
object TimesOfDay {
  val types: Seq[DataType] = Nil
}
