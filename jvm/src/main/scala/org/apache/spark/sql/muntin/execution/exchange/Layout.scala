package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._

/**
 * How the columns of a stripe lie: a value has as many bytes as its type takes, or, if they vary,
 * the bytes that it has in an UnsafeRow. So any type can be carried.
 */
private[execution] final class Layout(types: Seq[DataType]) extends Serializable {
  val size: Int = types.size

  /** How many bytes each value has; 0 where values differ in size. */
  val widths: Array[Int] = types.map(Layout.width).toArray

  /** Whether a row keeps room for the longest value, as for decimals of many digits. */
  val isReserved: Array[Boolean] = types.map(Layout.isReserved).toArray

  /** Whether values of a fixed size are whole numbers of more than a byte. */
  val isNumber: Array[Boolean] = types.map(Layout.isNumber).toArray

  val isFixed: Boolean = widths.forall(_ > 0)

  /** In how many places of a stripe a row's values are looked up. */
  val places: Int = widths.map(w => if (w > 0) 1 else 2).sum

  /** About how many bytes a row has in a stripe. */
  def bytesPerRow: Int = widths.map(w => if (w > 0) w else Layout.BytesOfVarying).sum
}

private[execution] object Layout {
  private val BytesOfVarying = 16

  /** What a row keeps for a value whose room is reserved. */
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
