package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.expressions.common.RowFormatter
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.{DoubleType, FloatType}

/** Reads the time of a stream's rows. A row without a time raises an error. */
final class StreamRowTime(function: String, time: Attribute, input: Seq[Attribute])
    extends Serializable {
  private val ordinal = input.indexWhere(_.exprId == time.exprId)
  private val number = new TimeNumber(time.dataType, ordinal)
  private val isFloating = time.dataType == FloatType || time.dataType == DoubleType
  private val shown = RowFormatter(input)

  def isMissing(row: InternalRow): Boolean = row.isNullAt(ordinal)

  def of(row: InternalRow): Long = {
    if (isMissing(row)) throw missing(row)
    if (isFloating) number.notFinite(row).foreach(value => throw notFinite(row, value))
    number.of(row)
  }

  private def notFinite(row: InternalRow, value: Double): Throwable =
    new MuntinRuntimeException(
      "MUNTIN_TIME_NOT_FINITE_ON_STREAM",
      "function" -> function,
      "time" -> time.name,
      "value" -> value.toString,
      "row" -> shown(row)
    )

  private def missing(row: InternalRow): Throwable =
    new MuntinRuntimeException(
      "MUNTIN_NULL_TIME_ON_STREAM",
      "function" -> function,
      "time" -> time.name,
      "row" -> shown(row)
    )
}
