package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.muntin.spark.Packed
import org.apache.spark.unsafe.Platform

/**
 * Up to `MostRows` rows, column by column: the unit of the exchange of columns, which also holds
 * rows while they are sorted. It is immutable.
 *
 *     a int, b string     1 x   null y   3 null
 *     values of a         1 _ 3            4 bytes each (Layout); a null has zeros
 *     nulls of a          0 1 0            one bit each; no array if no row is null
 *     ends of b           1 2 2            4 bytes each: where each value ends in the values
 *     values of b         x y
 *
 * If few variable-length values occur in many rows, `values` and `ends` may contain only the
 * distinct values. Then `codes` has the number of each row's value, 2 bytes each.
 *
 * Arrays may be longer than the rows need, but `ends` has exactly one entry per distinct value.
 */
private[execution] final class Stripe(
    override val rows: Int,
    val values: Array[Array[Byte]],
    val nulls: Array[Array[Byte]],
    val ends: Array[Array[Byte]],
    val codes: Array[Array[Byte]]
) extends Packed {

  /** A stripe that has a value for each row. */
  def this(
      rows: Int,
      values: Array[Array[Byte]],
      nulls: Array[Array[Byte]],
      ends: Array[Array[Byte]]
  ) = this(rows, values, nulls, ends, new Array(values.length))

  /** Returns how many bytes the arrays take. */
  def bytes: Long =
    Stripe.bytes(values) + Stripe.bytes(nulls) + Stripe.bytes(ends) + Stripe.bytes(codes)

  def isNull(column: Int, row: Int): Boolean = Stripe.isSet(nulls(column), row)

  /** Returns where a value of a variable-length column begins. */
  def start(column: Int, row: Int): Int =
    Stripe.start(ends(column), Stripe.value(codes(column), row))

  def end(column: Int, row: Int): Int =
    Stripe.int(ends(column), Stripe.value(codes(column), row))

  /** Returns true if any value of a variable-length column takes bytes. */
  def hasBytes(column: Int): Boolean = {
    val count = if (codes(column) == null) rows else ends(column).length / 4
    count > 0 && Stripe.int(ends(column), count - 1) > 0
  }

  /**
   * Returns how many bytes the variable-length values of the rows from `from` until `until` take.
   */
  def bytesOf(column: Int, from: Int, until: Int): Long =
    if (codes(column) == null) (end(column, until - 1) - start(column, from)).toLong
    else {
      var sum = 0L
      var row = from
      while (row < until) {
        sum += end(column, row) - start(column, row)
        row += 1
      }
      sum
    }
}

private[execution] object Stripe {

  /** A stripe has as many rows as these bits of an address can number. */
  final val RowBits = 13
  final val MostRows = 8192

  /** The bits of an address that are the row's number in its stripe. */
  final val RowMask = 8191

  def isSet(bits: Array[Byte], row: Int): Boolean =
    bits != null && (bits(row >>> 3) & (1 << (row & 7))) != 0

  def set(bits: Array[Byte], row: Int): Unit =
    bits(row >>> 3) = (bits(row >>> 3) | (1 << (row & 7))).toByte

  def int(bytes: Array[Byte], row: Int): Int =
    Platform.getInt(bytes, Platform.BYTE_ARRAY_OFFSET + 4L * row)

  /** Returns where the value of this number begins. */
  def start(ends: Array[Byte], value: Int): Int = if (value == 0) 0 else int(ends, value - 1)

  /** Returns the number of a row's value: its code, or the row's own number without codes. */
  def value(codes: Array[Byte], row: Int): Int =
    if (codes == null) row
    else Platform.getShort(codes, Platform.BYTE_ARRAY_OFFSET + 2L * row).toInt

  def bytesOfBits(rows: Int): Int = (rows + 7) >>> 3

  private def bytes(arrays: Array[Array[Byte]]): Long = {
    var sum = 0L
    var i = 0
    while (i < arrays.length) {
      if (arrays(i) != null) sum += arrays(i).length
      i += 1
    }
    sum
  }
}
