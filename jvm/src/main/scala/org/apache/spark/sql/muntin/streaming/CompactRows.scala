package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods

/** Writes rows to the state, and reads them from it. */
trait RowForm {
  def write(row: UnsafeRow, out: StateOutput): Unit

  /** Returns the next row; valid until the next call. */
  def read(in: StateInput): UnsafeRow

  /** Returns the next row, with this time, which the written form may lack. */
  def read(in: StateInput, time: Long): UnsafeRow

  /** Skips the next row. */
  def skip(in: StateInput): Unit
}

/**
 * Writes rows to the state in a compact form: a bit for each null, then each value in its own
 * width, the highest byte first. (An UnsafeRow takes eight bytes for each value, and for each 64
 * nulls.)
 *
 * Guarded by CompactRowsSuite.
 *
 * @param ordinals
 *   the columns of a row that are written; a row that is read has only these columns
 */
final class CompactRows(types: Seq[DataType], ordinals: Array[Int]) extends RowForm {
  def this(types: Seq[DataType]) = this(types, types.indices.toArray)

  private val fields = types.length
  private val widths = types.map(CompactRows.width).toArray
  private val nullBytes = (fields + 7) / 8
  // For a value of variable length: its length.
  private val least = nullBytes + widths.map(w => if (w == 0) 4 else w).sum
  private val fixed = UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
  private var buffer = new Array[Byte](math.max(64, fixed))
  private val row = new UnsafeRow(fields)

  // The fields with values of variable length.
  private val varying = widths.indices.filter(widths(_) == 0).toArray

  /**
   * Returns true if all values of the next row have a fixed width or are null. Then `readInto` can
   * read it.
   */
  def isFixed(in: StateInput): Boolean = {
    var i = 0
    while (i < varying.length && isNull(in.view.get(in.at + varying(i) / 8), varying(i))) i += 1
    i == varying.length
  }

  override def write(source: UnsafeRow, out: StateOutput): Unit = {
    var to = out.room(least)
    val from = out.length
    var at = from + nullBytes
    var bits = 0
    var i = 0
    while (i < fields) {
      val field = ordinals(i)
      if (source.isNullAt(field)) bits |= 1 << (i & 7)
      else
        widths(i) match {
          case 8 =>
            to.putLong(at, source.getLong(field))
            at += 8
          case 4 =>
            to.putInt(at, source.getInt(field))
            at += 4
          case 2 =>
            to.putShort(at, source.getShort(field))
            at += 2
          case 1 =>
            to.put(at, source.getByte(field))
            at += 1
          case _ =>
            val where = source.getLong(field)
            val size = where.toInt
            to = out.room(at - from + least + size)
            to.putInt(at, size)
            Platform.copyMemory(
              source.getBaseObject,
              source.getBaseOffset + (where >>> 32).toInt,
              to.array,
              Platform.BYTE_ARRAY_OFFSET.toLong + at + 4,
              size.toLong
            )
            at += 4 + size
        }
      i += 1
      if ((i & 7) == 0 || i == fields) {
        to.put(from + (i - 1) / 8, bits.toByte)
        bits = 0
      }
    }
    out.added(at - from)
  }

  override def read(in: StateInput): UnsafeRow = {
    java.util.Arrays.fill(buffer, 0, fixed, 0.toByte)
    row.pointTo(buffer, fixed)
    val from = in.view
    val nulls = in.at
    var at = nulls + nullBytes
    var end = fixed
    var i = 0
    while (i < fields) {
      if (isNull(from.get(nulls + i / 8), i)) row.setNullAt(i)
      else if (widths(i) > 0) at = readValue(in, at, i, row, i)
      else {
        val size = from.getInt(at)
        val rounded = ByteArrayMethods.roundNumberOfBytesToNearestWord(size)
        if (end + rounded > buffer.length) {
          buffer = java.util.Arrays.copyOf(buffer, math.max(2 * buffer.length, end + rounded))
          row.pointTo(buffer, end)
        }
        java.util.Arrays.fill(buffer, end + size, end + rounded, 0.toByte)
        System.arraycopy(from.array, at + 4, buffer, end, size)
        row.setLong(i, (end.toLong << 32) | size.toLong)
        end += rounded
        at += 4 + size
      }
      i += 1
    }
    row.pointTo(buffer, end)
    in.moveTo(at)
    row
  }

  override def read(in: StateInput, time: Long): UnsafeRow = read(in)

  /**
   * Reads the next row, which must be `isFixed`, into the columns of `target` that it was written
   * from.
   */
  def readInto(in: StateInput, target: UnsafeRow): Unit = {
    val from = in.view
    val nulls = in.at
    var at = nulls + nullBytes
    var i = 0
    while (i < fields) {
      if (isNull(from.get(nulls + i / 8), i)) target.setNullAt(ordinals(i))
      else at = readValue(in, at, i, target, ordinals(i))
      i += 1
    }
    in.moveTo(at)
  }

  override def skip(in: StateInput): Unit = {
    val from = in.view
    val nulls = in.at
    var at = nulls + nullBytes
    var i = 0
    while (i < fields) {
      if (!isNull(from.get(nulls + i / 8), i))
        at += (if (widths(i) > 0) widths(i) else 4 + from.getInt(at))
      i += 1
    }
    in.moveTo(at)
  }

  private def isNull(bits: Byte, i: Int): Boolean = (bits & (1 << (i & 7))) != 0

  /** Reads the `i`-th value, which is at `at`, into a field. Returns the end of the value. */
  private def readValue(in: StateInput, at: Int, i: Int, target: UnsafeRow, field: Int): Int = {
    val width = widths(i)
    width match {
      case 8 => target.setLong(field, in.view.getLong(at))
      case 4 => target.setInt(field, in.view.getInt(at))
      case 2 => target.setShort(field, in.view.getShort(at))
      case _ => target.setByte(field, in.view.get(at))
    }
    at + width
  }
}

object CompactRows {

  /** Returns the width of a value in bytes; 0 if the type has variable length. */
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
