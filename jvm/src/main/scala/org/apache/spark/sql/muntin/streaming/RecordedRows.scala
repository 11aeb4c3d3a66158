package org.apache.spark.sql.muntin.streaming

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Reads rows in another form, and records copies of them. */
private[streaming] final class RecordedRows(form: RowForm) extends RowForm {
  private val recorded = mutable.ArrayBuffer.empty[UnsafeRow]

  def clear(): Unit = recorded.clear()

  /** Returns the rows that have been read since `clear`. */
  def rows: Seq[UnsafeRow] = recorded.toSeq

  override def write(row: UnsafeRow, out: StateOutput): Unit = form.write(row, out)

  override def read(in: StateInput): UnsafeRow = record(form.read(in))

  override def read(in: StateInput, time: Long): UnsafeRow = record(form.read(in, time))

  override def skip(in: StateInput): Unit = form.skip(in)

  private def record(row: UnsafeRow): UnsafeRow = {
    recorded += row.copy()
    row
  }
}
