package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.RowBytes
import org.apache.spark.unsafe.Platform

/**
 * Builds the stripes of all partitions in one task. To add rows, a caller reserves their number
 * (`reserve`), takes their places (`place`), and writes their values; the values of a place are
 * zeros at first. `add` adds a whole row.
 */
private[execution] final class StripeBuilders(layout: Layout, partitions: Int) {
  private val columns = layout.size
  private val values = Array.fill(columns)(new Array[Array[Byte]](partitions))
  private val nulls = Array.fill(columns)(new Array[Array[Byte]](partitions))
  private val ends = Array.fill(columns)(new Array[Array[Byte]](partitions))
  // The used bytes of the values, for variable-length columns.
  private val used = Array.fill(columns)(new Array[Int](partitions))
  private val counts = new Array[Int](partitions)
  private val capacities = new Array[Int](partitions)
  // The capacity of the last stripe, which is the capacity of the next.
  private val expected = Array.fill(partitions)(StripeBuilders.FewRows)
  private var held = 0L

  /** Returns how many bytes all stripes take. */
  def heldBytes: Long = held

  def rows(partition: Int): Int = counts(partition)

  /** Returns how many bytes of variable-length values a partition's stripe has. */
  def varyingBytes(partition: Int): Long = {
    var sum = 0L
    var c = 0
    while (c < columns) {
      sum += used(c)(partition)
      c += 1
    }
    sum
  }

  /** Makes room for more rows. The total must not exceed a stripe's limit. */
  def reserve(partition: Int, more: Int): Unit = {
    val rows = counts(partition) + more
    if (rows > capacities(partition)) grow(partition, rows)
  }

  private def grow(p: Int, rows: Int): Unit = {
    var capacity = math.max(expected(p), capacities(p))
    while (capacity < rows) capacity *= 2
    var c = 0
    while (c < columns) {
      val width = layout.widths(c)
      if (width > 0) values(c)(p) = longer(values(c)(p), capacity * width)
      else {
        ends(c)(p) = longer(ends(c)(p), capacity * 4)
        if (values(c)(p) == null) values(c)(p) = longer(null, StripeBuilders.FewBytes)
      }
      if (nulls(c)(p) != null) nulls(c)(p) = longer(nulls(c)(p), Stripe.bytesOfBits(capacity))
      c += 1
    }
    capacities(p) = capacity
    expected(p) = capacity
  }

  private def longer(bytes: Array[Byte], size: Int): Array[Byte] =
    if (bytes == null) {
      held += size
      new Array[Byte](size)
    } else {
      held += size - bytes.length
      Arrays.copyOf(bytes, size)
    }

  /** Returns the place of the next row. */
  def place(partition: Int): Int = {
    val row = counts(partition)
    counts(partition) = row + 1
    row
  }

  /** Returns the arrays of a fixed-size column, by partition. */
  def ofColumn(column: Int): Array[Array[Byte]] = values(column)

  def setNull(column: Int, partition: Int, row: Int): Unit = {
    var bits = nulls(column)(partition)
    if (bits == null) {
      bits = longer(null, Stripe.bytesOfBits(capacities(partition)))
      nulls(column)(partition) = bits
    }
    Stripe.set(bits, row)
  }

  /** Appends a variable-length value, row after row. Returns where to write the value. */
  def append(column: Int, partition: Int, row: Int, size: Int): Int = {
    val at = used(column)(partition)
    val end = Math.addExact(at, size)
    if (end > values(column)(partition).length) {
      val room = math.max(end.toLong, math.min(2L * values(column)(partition).length, 1L << 30))
      values(column)(partition) = longer(values(column)(partition), room.toInt)
    }
    used(column)(partition) = end
    Platform.putInt(ends(column)(partition), Platform.BYTE_ARRAY_OFFSET + 4L * row, end)
    at
  }

  /** Adds a row, after room has been reserved for it. */
  def add(partition: Int, row: UnsafeRow): Unit = {
    val place = this.place(partition)
    var c = 0
    while (c < columns) {
      val width = layout.widths(c)
      val isNull = row.isNullAt(c)
      if (isNull) setNull(c, partition, place)
      if (width > 0) {
        if (!isNull) addFixed(row, c, width, values(c)(partition), place)
      } else if (isNull && !layout.isReserved(c)) append(c, partition, place, 0): Unit
      else addVarying(row, c, partition, place)
      c += 1
    }
  }

  private def addFixed(row: UnsafeRow, c: Int, width: Int, to: Array[Byte], place: Int): Unit = {
    val offset = Platform.BYTE_ARRAY_OFFSET + place.toLong * width
    if (width == 8) Platform.putLong(to, offset, row.getLong(c))
    else if (width == 4) Platform.putInt(to, offset, row.getInt(c))
    else if (width == 2) Platform.putShort(to, offset, row.getShort(c))
    else Platform.putByte(to, offset, row.getByte(c))
  }

  private def addVarying(row: UnsafeRow, c: Int, partition: Int, place: Int): Unit = {
    val word = row.getLong(c)
    val size = word.toInt
    val at = append(c, partition, place, size)
    RowBytes.copy(
      row.getBaseObject,
      row.getBaseOffset + (word >>> 32),
      values(c)(partition),
      Platform.BYTE_ARRAY_OFFSET.toLong + at,
      size
    )
  }

  /** Returns the stripe of a partition, which has rows. The next row starts another stripe. */
  def take(p: Int): Stripe = {
    val (ofValues, ofNulls, ofEnds) = (newArrays(), newArrays(), newArrays())
    var c = 0
    while (c < columns) {
      ofValues(c) = values(c)(p)
      ofNulls(c) = nulls(c)(p)
      ofEnds(c) = ends(c)(p)
      held -= sizeOf(values(c)(p)) + sizeOf(nulls(c)(p)) + sizeOf(ends(c)(p))
      values(c)(p) = null
      nulls(c)(p) = null
      ends(c)(p) = null
      used(c)(p) = 0
      c += 1
    }
    val rows = counts(p)
    counts(p) = 0
    capacities(p) = 0
    new Stripe(rows, ofValues, ofNulls, ofEnds)
  }

  private def newArrays() = new Array[Array[Byte]](columns)

  private def sizeOf(bytes: Array[Byte]): Int = if (bytes == null) 0 else bytes.length
}

private object StripeBuilders {
  private val FewRows = 32
  private val FewBytes = 256
}
