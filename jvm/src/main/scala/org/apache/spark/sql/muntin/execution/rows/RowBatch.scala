package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * A few rows, copied to one place: so the processor waits for many distant places in memory at
 * once, and meanwhile the memory that the rows lay in can go.
 */
private[execution] final class RowBatch {

  /** The bytes of the rows. */
  var bytes: Array[Long] = new Array[Long](RowBatch.Longs)

  /** Where each row ends in them, if rows differ in size. */
  val ends: Array[Int] = new Array[Int](RowBatch.MostRows)
  // How many bytes each row has; 0 where they differ.
  private var rowBytes = 0
  private var count = 0
  private var at = 0

  /**
   * The batch has `rows` rows, of which none has been read: of `bytesOfEach`, or, where that is 0,
   * of the sizes that `ends` says.
   */
  def begin(rows: Int, bytesOfEach: Int): Unit = {
    rowBytes = bytesOfEach
    count = rows
    at = 0
  }

  /** Makes room for so many bytes; what was in the batch is lost. */
  def reserve(size: Long): Unit =
    if (size > 8L * bytes.length) bytes = new Array[Long](Math.toIntExact((size + 7L) / 8L))

  /** How many bytes there is room for. */
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

  /** The same, and the row is still the next one. */
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
