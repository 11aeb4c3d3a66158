package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * A few rows, copied to one place: so the processor waits for many distant places in memory at
 * once, and the rows' original memory can be freed meanwhile.
 */
private[execution] final class RowBatch {

  /** The bytes of the rows. */
  var bytes: Array[Long] = new Array[Long](RowBatch.Longs)

  /** The end of each row in them, if rows differ in size. */
  val ends: Array[Int] = new Array[Int](RowBatch.MostRows)
  // How many bytes each row has; 0 if rows differ in size.
  private var rowBytes = 0
  private var count = 0
  private var at = 0

  /**
   * Starts a batch of `rows` rows: of `bytesOfEach` bytes, or, if that is 0, of the sizes in
   * `ends`.
   */
  def begin(rows: Int, bytesOfEach: Int): Unit = {
    rowBytes = bytesOfEach
    count = rows
    at = 0
  }

  /** Makes room for `size` bytes; the contents of the batch are lost. */
  def reserve(size: Long): Unit =
    if (size > 8L * bytes.length) bytes = new Array[Long](Math.toIntExact((size + 7L) / 8L))

  /** Returns the size of the batch's buffer in bytes. */
  def room: Long = 8L * bytes.length

  def hasNext: Boolean = at < count

  def start(row: Int): Int =
    if (rowBytes > 0) row * rowBytes
    else if (row == 0) 0
    else ends(row - 1)

  /** Points `row` to the next row. */
  def advance(row: UnsafeRow): Unit = {
    peek(row)
    at += 1
  }

  /** Points `row` to the next row, without advancing. */
  def peek(row: UnsafeRow): Unit = {
    val begin = start(at)
    val size = if (rowBytes > 0) rowBytes else ends(at) - begin
    row.pointTo(bytes, Platform.LONG_ARRAY_OFFSET + begin.toLong, size)
  }
}

private[execution] object RowBatch {
  val MostRows: Int = 256
  private val Longs = 1 << 12
}
