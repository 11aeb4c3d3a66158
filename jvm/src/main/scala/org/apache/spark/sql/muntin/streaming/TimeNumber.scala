package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * The time of a row as a long: the microseconds of a TIMESTAMP; in the order of arrival also a
 * whole number, or a DECIMAL in units of its last digit.
 */
private[muntin] final class TimeNumber(dataType: DataType, ordinal: Int) extends Serializable {

  private val isLong = dataType == TimestampType || dataType == LongType

  /** Of a row that has a time. */
  def of(row: InternalRow): Long = if (isLong) row.getLong(ordinal) else narrow(row)

  private def narrow(row: InternalRow): Long = dataType match {
    case ByteType => row.getByte(ordinal).toLong
    case ShortType => row.getShort(ordinal).toLong
    case IntegerType => row.getInt(ordinal).toLong
    case d: DecimalType => row.getDecimal(ordinal, d.precision, d.scale).toUnscaledLong
    case other => throw new IllegalStateException(s"no time of a stream: $other")
  }

  /** The time as the column has it. */
  def value(time: Long): Any = dataType match {
    case ByteType => time.toByte
    case ShortType => time.toShort
    case IntegerType => time.toInt
    case d: DecimalType => Decimal(time, d.precision, d.scale)
    case _ => time
  }

  /** Nothing is made for it where the time is a long, and the row has a place of its own for it. */
  def put(row: InternalRow, time: Long): Unit =
    if (isLong) row.setLong(ordinal, time) else row.update(ordinal, value(time))
}

private[muntin] object TimeNumber {

  val Watermark = "df.withWatermark(\"t\", \"10 minutes\")"

  /** Whether a column of this type can be the row time of a stream. */
  def supports(dataType: DataType, byArrival: Boolean): Boolean = dataType match {
    case TimestampType => true
    case ByteType | ShortType | IntegerType | LongType => byArrival
    case d: DecimalType => byArrival && d.precision <= Decimal.MAX_LONG_DIGITS
    case _ => false
  }

  /** What to write where a column is no row time. */
  def advice(dataType: DataType, name: String): String = {
    val timed =
      s"""df.withColumn("t", expr("timestamp_seconds($name)")).withWatermark("t", "0 seconds")"""
    dataType match {
      case ByteType | ShortType | IntegerType | LongType | _: DecimalType =>
        s"$timed, or set spark.muntin.stream.order=arrival, where numbers are times as they are"
      case FloatType | DoubleType =>
        s"$timed, or, with spark.muntin.stream.order=arrival, CAST($name AS DECIMAL(18, 6))"
      case _ => Watermark
    }
  }
}
