package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarArray, ColumnarMap}
import org.apache.spark.unsafe.types.UTF8String

/**
 * The values of a column in some rows, as a column of `count` rows. It does not close the column.
 */
private[exchange] final class SelectedColumn(
    val of: ColumnVector,
    val rows: Array[Int],
    count: Int
) extends ColumnVector(of.dataType) {
  override def close(): Unit = ()

  override def hasNull: Boolean = of.hasNull

  override def numNulls: Int = if (hasNull) (0 until count).count(isNullAt) else 0

  override def isNullAt(row: Int): Boolean = of.isNullAt(rows(row))

  override def getBoolean(row: Int): Boolean = of.getBoolean(rows(row))

  override def getByte(row: Int): Byte = of.getByte(rows(row))

  override def getShort(row: Int): Short = of.getShort(rows(row))

  override def getInt(row: Int): Int = of.getInt(rows(row))

  override def getLong(row: Int): Long = of.getLong(rows(row))

  override def getFloat(row: Int): Float = of.getFloat(rows(row))

  override def getDouble(row: Int): Double = of.getDouble(rows(row))

  override def getArray(row: Int): ColumnarArray = of.getArray(rows(row))

  override def getMap(row: Int): ColumnarMap = of.getMap(rows(row))

  override def getDecimal(row: Int, precision: Int, scale: Int): Decimal =
    of.getDecimal(rows(row), precision, scale)

  override def getUTF8String(row: Int): UTF8String = of.getUTF8String(rows(row))

  override def getBinary(row: Int): Array[Byte] = of.getBinary(rows(row))

  // For a struct: its fields have the same rows as the structs.
  override def getChild(field: Int): ColumnVector =
    new SelectedColumn(of.getChild(field), rows, count)
}

private[exchange] object SelectedColumn {

  /** Returns true if the methods of a column return all of a value of this type. */
  def supports(dataType: DataType): Boolean = dataType match {
    case BooleanType | ByteType | ShortType | IntegerType | LongType | FloatType | DoubleType =>
      true
    case DateType | TimestampType | TimestampNTZType | BinaryType | NullType => true
    case _: StringType | _: DecimalType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case StructType(fields) => fields.forall(f => supports(f.dataType))
    // Their values are columns of their own.
    case _: ArrayType | _: MapType => true
    case u: UserDefinedType[_] => supports(u.sqlType)
    case _ => false
  }
}
