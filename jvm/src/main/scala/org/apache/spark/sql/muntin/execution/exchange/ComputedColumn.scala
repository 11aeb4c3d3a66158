package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._

/**
 * A batch column whose values are computed row by row, for types with small values, since it has
 * one value per row of the batch.
 */
private[exchange] final class ComputedColumn(dataType: DataType) {
  private val kind = ComputedColumn.kind(dataType)
  private var capacity = 0
  private var values = new OnHeapColumnVector(capacity, dataType)

  /** Returns the values that have been put; valid until the next batch begins. */
  def vector: OnHeapColumnVector = values

  def begin(rows: Int): Unit =
    if (rows <= capacity) values.reset()
    else {
      capacity = rows
      values = new OnHeapColumnVector(rows, dataType)
    }

  /** Reads the value of a row from a field. */
  def put(i: Int, row: UnsafeRow, field: Int): Unit =
    if (row.isNullAt(field)) values.putNull(i)
    else {
      (kind: @scala.annotation.switch) match {
        case ComputedColumn.Longs => values.putLong(i, row.getLong(field))
        case ComputedColumn.Ints => values.putInt(i, row.getInt(field))
        case ComputedColumn.Doubles => values.putDouble(i, row.getDouble(field))
        case _ => putOther(i, row, field)
      }
    }

  private def putOther(i: Int, row: UnsafeRow, field: Int): Unit = dataType match {
    case BooleanType => values.putBoolean(i, row.getBoolean(field))
    case ByteType => values.putByte(i, row.getByte(field))
    case ShortType => values.putShort(i, row.getShort(field))
    case FloatType => values.putFloat(i, row.getFloat(field))
    case d: DecimalType =>
      values.putDecimal(i, row.getDecimal(field, d.precision, d.scale), d.precision)
    case other => throw new IllegalStateException(s"not computed in columns: $other")
  }
}

private[exchange] object ComputedColumn {
  private final val Longs = 0
  private final val Ints = 1
  private final val Doubles = 2
  private final val Others = 3

  /** Returns true if values of this type can be computed. */
  def supports(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | FloatType | _: DecimalType => true
    case other => kind(other) != Others
  }

  private def kind(dataType: DataType): Int = dataType match {
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => Longs
    case IntegerType | DateType | _: YearMonthIntervalType => Ints
    case DoubleType => Doubles
    case _ => Others
  }
}
