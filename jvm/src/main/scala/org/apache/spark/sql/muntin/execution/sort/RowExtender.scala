package org.apache.spark.sql.muntin.execution.sort

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.RowBytes
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform

/**
 * Copies rows with additional fields after their columns. The fields move the bytes of
 * variable-length values, and their offsets in the row are corrected.
 *
 *     row          bits   4   8 at 24   text
 *     with room    bits   4   8 at 32   _      text
 *
 * Guarded by RowPagesSuite.
 */
private[sort] final class RowExtender(types: Seq[DataType], fields: Int) {
  private val bits = UnsafeRow.calculateBitSetWidthInBytes(types.size)
  private val bitsOfAll = UnsafeRow.calculateBitSetWidthInBytes(types.size + fields)
  private val columns = 8 * types.size
  private val varying: Array[Int] =
    types.indices.filterNot(i => UnsafeRow.isFixedLength(types(i))).toArray

  /** How many bytes a row grows. */
  val bytes: Int = bitsOfAll - bits + 8 * fields

  /** Copies a row of `size` bytes; the new fields have undefined contents, and are not null. */
  def copy(from: AnyRef, offset: Long, to: AnyRef, start: Long, size: Int): Unit = {
    RowBytes.copy(from, offset, to, start, bits)
    var i = bits
    while (i < bitsOfAll) {
      Platform.putLong(to, start + i, 0L)
      i += 8
    }
    RowBytes.copy(from, offset + bits, to, start + bitsOfAll, columns)
    val head = bits + columns
    RowBytes.copy(from, offset + head, to, start + head + bytes, size - head)
    i = 0
    while (i < varying.length) {
      val field = start + bitsOfAll + 8L * varying(i)
      val word = Platform.getLong(to, field)
      // A null may have no place.
      if ((word >>> 32) != 0L) Platform.putLong(to, field, word + (bytes.toLong << 32))
      i += 1
    }
  }
}
