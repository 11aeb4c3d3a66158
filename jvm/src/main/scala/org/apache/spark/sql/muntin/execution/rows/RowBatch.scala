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

  /** Where each row ends in them. */
  val ends: Array[Int] = new Array[Int](RowBatch.MostRows)
  private var count = 0
  private var at = 0

  /** The batch has `rows` rows, of which none has been read. */
  def begin(rows: Int): Unit = {
    count = rows
    at = 0
  }

  /** Makes room for so many bytes; what was in the batch is lost. */
  def reserve(size: Long): Unit =
    if (size > 8L * bytes.length) bytes = new Array[Long](Math.toIntExact((size + 7L) / 8L))

  /** How many bytes there is room for. */
  def room: Long = 8L * bytes.length

  def hasNext: Boolean = at < count

  def start(row: Int): Int = if (row == 0) 0 else ends(row - 1)

  /** Points `row` to the next row. */
  def advance(row: UnsafeRow): Unit = {
    row.pointTo(bytes, Platform.LONG_ARRAY_OFFSET + start(at).toLong, ends(at) - start(at))
    at += 1
  }
}

private[execution] object RowBatch {
  val MostRows: Int = 256
  private val Longs = 1 << 12
}
