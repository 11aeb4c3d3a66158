package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types._

/** An array as a view: it reads each element from a row of one field. */
abstract class ArrayView(elementType: DataType) extends NewElements {

  override def isNullAt(i: Int): Boolean = at(i).isNullAt(0)
  override def getBoolean(i: Int): Boolean = at(i).getBoolean(0)
  override def getByte(i: Int): Byte = at(i).getByte(0)
  override def getShort(i: Int): Short = at(i).getShort(0)
  override def getInt(i: Int): Int = at(i).getInt(0)
  override def getLong(i: Int): Long = at(i).getLong(0)
  override def getFloat(i: Int): Float = at(i).getFloat(0)
  override def getDouble(i: Int): Double = at(i).getDouble(0)
  override def getDecimal(i: Int, precision: Int, scale: Int): Decimal =
    at(i).getDecimal(0, precision, scale)
  override def getUTF8String(i: Int): UTF8String = at(i).getUTF8String(0)
  override def getBinary(i: Int): Array[Byte] = at(i).getBinary(0)
  override def getInterval(i: Int): CalendarInterval = at(i).getInterval(0)
  override def getStruct(i: Int, fields: Int): InternalRow = at(i).getStruct(0, fields)
  override def getArray(i: Int): ArrayData = at(i).getArray(0)
  override def getMap(i: Int): MapData = at(i).getMap(0)
  override def get(i: Int, dataType: DataType): AnyRef = at(i).get(0, dataType)

  override def array: Array[Any] = Array.tabulate[Any](numElements())(i => get(i, elementType))

  override def copy(): ArrayData = new GenericArrayData(array.map(InternalRow.copyValue))

  override def setNullAt(i: Int): Unit = throw new UnsupportedOperationException("a view")

  override def update(i: Int, value: Any): Unit = throw new UnsupportedOperationException("a view")
}
