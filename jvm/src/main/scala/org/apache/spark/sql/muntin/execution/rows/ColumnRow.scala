package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BaseGenericInternalRow, SpecificInternalRow}
import org.apache.spark.sql.types.{DataType, Decimal}

/**
 * The row at a position of columns, as Spark's expressions read rows: a view, moved from position
 * to position. Numbers are not boxed if an expression requests them by type.
 */
final class ColumnRow(columns: Seq[Column], dataTypes: Seq[DataType])
    extends BaseGenericInternalRow {
  private val all = columns.toArray
  private val longs = all.map { case c: LongColumn => c; case _ => null }
  private val doubles = all.map { case c: DoubleColumn => c; case _ => null }
  // Values of other types are read through a field of a row.
  private val writers = dataTypes.map(ValueType(_).writer(0)).toArray
  private val fields: Array[InternalRow] =
    dataTypes.map(t => new SpecificInternalRow(Seq(t)): InternalRow).toArray
  private val types = dataTypes.toArray
  private var position = 0L

  def at(row: Long): ColumnRow = {
    position = row
    this
  }

  override def numFields: Int = all.length

  override def isNullAt(ordinal: Int): Boolean = all(ordinal).isNull(position)

  override def getBoolean(ordinal: Int): Boolean = longs(ordinal)(position) != 0L

  override def getByte(ordinal: Int): Byte = longs(ordinal)(position).toByte

  override def getShort(ordinal: Int): Short = longs(ordinal)(position).toShort

  override def getInt(ordinal: Int): Int = longs(ordinal)(position).toInt

  override def getLong(ordinal: Int): Long = longs(ordinal)(position)

  override def getFloat(ordinal: Int): Float = doubles(ordinal)(position).toFloat

  override def getDouble(ordinal: Int): Double = doubles(ordinal)(position)

  override def getDecimal(ordinal: Int, precision: Int, scale: Int): Decimal =
    if (isNullAt(ordinal)) null
    else if (longs(ordinal) != null) {
      Decimal.createUnsafe(longs(ordinal)(position), precision, scale)
    } else genericGet(ordinal).asInstanceOf[Decimal]

  override protected def genericGet(ordinal: Int): Any =
    if (isNullAt(ordinal)) null
    else {
      writers(ordinal).write(all(ordinal), position, fields(ordinal))
      fields(ordinal).get(0, types(ordinal))
    }

  override def setNullAt(ordinal: Int): Unit = throw new UnsupportedOperationException("a view")

  override def update(ordinal: Int, value: Any): Unit =
    throw new UnsupportedOperationException("a view")
}
