package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/**
 * The form of rows in the state: a bit for each null, then each value in its own width. (An
 * UnsafeRow takes eight bytes for each value, and for each 64 nulls.)
 *
 * Guarded by CompactRowsSuite.
 */
final class CompactRows(types: Seq[DataType]) {
  private val fields = types.length
  private val widths = types.map(CompactRows.width).toArray
  private val nullBytes = (fields + 7) / 8
  private val fixed = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
  private var buffer = new Array[Byte](math.max(64, fixed))
  private val row = new UnsafeRow(fields)

  def write(source: UnsafeRow, out: DataOutput): Unit = {
    var byte = 0
    while (byte < nullBytes) {
      var bits = 0
      var i = byte * 8
      val until = math.min(i + 8, fields)
      while (i < until) {
        if (source.isNullAt(i)) bits |= 1 << (i & 7)
        i += 1
      }
      out.writeByte(bits)
      byte += 1
    }
    var i = 0
    while (i < fields) {
      if (!source.isNullAt(i)) writeValue(source, i, out)
      i += 1
    }
  }

  private def writeValue(source: UnsafeRow, i: Int, out: DataOutput): Unit = widths(i) match {
    case 8 => out.writeLong(source.getLong(i))
    case 4 => out.writeInt(source.getInt(i))
    case 2 => out.writeShort(source.getShort(i).toInt)
    case 1 => out.writeByte(source.getByte(i).toInt)
    case _ =>
      val where = source.getLong(i)
      val (offset, size) = ((where >>> 32).toInt, where.toInt)
      val bytes = new Array[Byte](size)
      Platform.copyMemory(
        source.getBaseObject,
        source.getBaseOffset + offset,
        bytes,
        Platform.BYTE_ARRAY_OFFSET,
        size
      )
      out.writeInt(size)
      out.write(bytes)
  }

  /** The next row; valid until the next call. */
  def read(in: DataInput): UnsafeRow = {
    java.util.Arrays.fill(buffer, 0, fixed, 0.toByte)
    row.pointTo(buffer, fixed)
    var byte = 0
    while (byte < nullBytes) {
      val bits = in.readByte().toInt
      var i = byte * 8
      val until = math.min(i + 8, fields)
      while (i < until) {
        if ((bits & (1 << (i & 7))) != 0) row.setNullAt(i)
        i += 1
      }
      byte += 1
    }
    var end = fixed
    var i = 0
    while (i < fields) {
      if (!row.isNullAt(i)) end = readValue(i, end, in)
      i += 1
    }
    row.pointTo(buffer, end)
    row
  }

  private def readValue(i: Int, end: Int, in: DataInput): Int = widths(i) match {
    case 8 => row.setLong(i, in.readLong()); end
    case 4 => row.setInt(i, in.readInt()); end
    case 2 => row.setShort(i, in.readShort()); end
    case 1 => row.setByte(i, in.readByte()); end
    case _ =>
      val size = in.readInt()
      val rounded = ByteArrayMethods.roundNumberOfBytesToNearestWord(size)
      if (end + rounded > buffer.length) {
        buffer = java.util.Arrays.copyOf(buffer, math.max(2 * buffer.length, end + rounded))
        row.pointTo(buffer, end)
      }
      java.util.Arrays.fill(buffer, end + size, end + rounded, 0.toByte)
      in.readFully(buffer, end, size)
      row.setLong(i, (end.toLong << 32) | size.toLong)
      end + rounded
  }
}

object CompactRows {

  /** The width of a value in bytes; 0 where values have different lengths. */
  private def width(dataType: DataType): Int = UnsafeRow.isFixedLength(dataType) match {
    case false => 0
    case true =>
      dataType match {
        case BooleanType | ByteType => 1
        case ShortType => 2
        case IntegerType | FloatType | DateType | _: YearMonthIntervalType => 4
        case _ => 8
      }
  }
}
