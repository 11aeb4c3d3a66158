package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.types._

/** The error for an expression that cannot be the row time of a stream, or the field of windows. */
private[plans] object UnsupportedStreamTime {
  def apply(function: String, time: Expression, isField: Boolean = false): AnalysisException = {
    val condition = time.dataType match {
      case TimestampType => "MUNTIN_COMPUTED_TIME_ON_STREAM"
      case FloatType | DoubleType if !isField => "MUNTIN_FLOATING_TIME_ON_STREAM"
      case _: NumericType => "MUNTIN_NUMERIC_TIME_ON_STREAM"
      case _ => "MUNTIN_INVALID_TIME_ON_STREAM"
    }
    new MuntinAnalysisException(
      condition,
      "function" -> function,
      "time" -> toPrettySQL(time),
      "type" -> time.dataType.sql
    )
  }
}
