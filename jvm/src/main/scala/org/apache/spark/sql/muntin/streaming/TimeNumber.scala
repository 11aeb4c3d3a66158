package org.apache.spark.sql.muntin.streaming

import io.muntin.kernel.fields.OrderedDouble
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * Reads the time of a row as a long: the microseconds of a TIMESTAMP; in the order of arrival also
 * a whole number, a DECIMAL in units of its last digit, or the ordinal of a DOUBLE (OrderedDouble).
 */
private[muntin] final class TimeNumber(dataType: DataType, ordinal: Int) extends Serializable {

  private val isLong = dataType == TimestampType || dataType == LongType

  /** Returns the time of a row that has one. */
  def of(row: InternalRow): Long = if (isLong) row.getLong(ordinal) else other(row)

  private def other(row: InternalRow): Long = dataType match {
    case ByteType => row.getByte(ordinal).toLong
    case ShortType => row.getShort(ordinal).toLong
    case IntegerType => row.getInt(ordinal).toLong
    case d: DecimalType => row.getDecimal(ordinal, d.precision, d.scale).toUnscaledLong
    case FloatType | DoubleType => OrderedDouble.ordinal(double(row))
    case other => throw new IllegalStateException(s"no time of a stream: $other")
  }

  private def double(row: InternalRow): Double =
    if (dataType == FloatType) row.getFloat(ordinal).toDouble else row.getDouble(ordinal)

  /** Returns the row's number if it is not finite. */
  def notFinite(row: InternalRow): Option[Double] = dataType match {
    case FloatType | DoubleType => Some(double(row)).filter(d => d.isNaN || d.isInfinite)
    case _ => None
  }

  /** Returns the time as a value of the column's type. */
  def value(time: Long): Any = dataType match {
    case ByteType => time.toByte
    case ShortType => time.toShort
    case IntegerType => time.toInt
    case d: DecimalType => Decimal(time, d.precision, d.scale)
    case FloatType => OrderedDouble.value(time).toFloat
    case DoubleType => OrderedDouble.value(time)
    case _ => time
  }

  /**
   * Writes the time into the row. It allocates only for a DECIMAL: the row has its own slot for the
   * time.
   */
  def put(row: InternalRow, time: Long): Unit = dataType match {
    case ByteType => row.setByte(ordinal, time.toByte)
    case ShortType => row.setShort(ordinal, time.toShort)
    case IntegerType => row.setInt(ordinal, time.toInt)
    case d: DecimalType =>
      row.setDecimal(ordinal, Decimal(time, d.precision, d.scale), d.precision)
    case FloatType => row.setFloat(ordinal, OrderedDouble.value(time).toFloat)
    case DoubleType => row.setDouble(ordinal, OrderedDouble.value(time))
    case _ => row.setLong(ordinal, time)
  }
}

private[muntin] object TimeNumber {

  val Watermark = "df.withWatermark(\"t\", \"10 minutes\")"

  /** Returns true if a column of this type can be the row time of a stream. */
  def supports(dataType: DataType, byArrival: Boolean): Boolean = dataType match {
    case TimestampType => true
    case ByteType | ShortType | IntegerType | LongType => byArrival
    case d: DecimalType => byArrival && d.precision <= Decimal.MAX_LONG_DIGITS
    case _ => false
  }

  /** Returns true if a column of this type can be the field of windows. */
  def supportsField(dataType: DataType, byArrival: Boolean): Boolean = dataType match {
    case FloatType | DoubleType => byArrival
    case other => supports(other, byArrival)
  }

  /** Returns how to fix a column that cannot be a row time, or the field of windows (`isField`). */
  def advice(dataType: DataType, name: String, isField: Boolean = false): String = {
    val timed =
      s"""df.withColumn("t", expr("timestamp_seconds($name)")).withWatermark("t", "0 seconds")"""
    dataType match {
      case FloatType | DoubleType if !isField =>
        s"$timed, or, with spark.muntin.stream.order=arrival, CAST($name AS DECIMAL(18, 6))"
      case ByteType | ShortType | IntegerType | LongType | _: DecimalType | FloatType |
          DoubleType =>
        s"$timed, or set spark.muntin.stream.order=arrival, which accepts numbers as times"
      case _ => Watermark
    }
  }
}
