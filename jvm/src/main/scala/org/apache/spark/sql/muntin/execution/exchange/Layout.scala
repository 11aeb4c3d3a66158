package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._

/**
 * The layout of a stripe's columns: a value has as many bytes as its type takes, or, for
 * variable-length types, its bytes in an UnsafeRow. So any type is supported.
 */
private[execution] final class Layout(types: Seq[DataType]) extends Serializable {
  val size: Int = types.size

  /** The number of bytes of each value; 0 for variable-length types. */
  val widths: Array[Int] = types.map(Layout.width).toArray

  /** True if a row reserves room for the longest value, as for decimals of many digits. */
  val isReserved: Array[Boolean] = types.map(Layout.isReserved).toArray

  /** True if values of a fixed size are whole numbers of more than a byte. */
  val isNumber: Array[Boolean] = types.map(Layout.isNumber).toArray

  val isFixed: Boolean = widths.forall(_ > 0)

  /** The number of places in a stripe where a row's values are read. */
  val places: Int = widths.map(w => if (w > 0) 1 else 2).sum

  /** Returns roughly how many bytes a row takes in a stripe. */
  def bytesPerRow: Int = widths.map(w => if (w > 0) w else Layout.BytesOfVarying).sum
}

private[execution] object Layout {
  private val BytesOfVarying = 16

  /** The bytes that a row keeps for a value with reserved room. */
  val ReservedBytes: Int = 16

  private def width(dataType: DataType): Int = dataType match {
    case BooleanType | ByteType | NullType => 1
    case ShortType => 2
    case IntegerType | DateType | FloatType | _: YearMonthIntervalType => 4
    case u: UserDefinedType[_] => width(u.sqlType)
    case other => if (UnsafeRow.isFixedLength(other)) 8 else 0
  }

  private def isNumber(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType => false
    case u: UserDefinedType[_] => isNumber(u.sqlType)
    case other => width(other) > 1
  }

  private def isReserved(dataType: DataType): Boolean = dataType match {
    case d: DecimalType => d.precision > Decimal.MAX_LONG_DIGITS
    case CalendarIntervalType => true
    case u: UserDefinedType[_] => isReserved(u.sqlType)
    case _ => false
  }
}
