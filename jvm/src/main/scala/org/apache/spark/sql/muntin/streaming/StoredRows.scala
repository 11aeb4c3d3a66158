package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions._

/**
 * Reads and writes the rows of one group after the other, in the form of CompactRows. The state
 * holds `columns` of them, without the keys. Rows that are read are complete again: with the
 * group's keys, with the time, if it is known, and with null, or a default, for each column that
 * was not kept.
 *
 * If all values of a row have a fixed width, the row is read into a row that has the other columns
 * already, without an allocation per row.
 */
final class StoredRows(job: StreamJob, columns: Seq[Attribute]) extends RowForm {
  private val compact = new CompactRows(
    columns.map(_.dataType),
    columns.map(a => job.input.indexWhere(_.exprId == a.exprId)).toArray
  )
  private val joined = new JoinedRow
  private val restore = UnsafeProjection.create(job.input.map { a =>
    val at = columns.indexWhere(_.exprId == a.exprId)
    val key = job.keys.indexWhere(_.exprId == a.exprId)
    if (at >= 0) BoundReference(at, a.dataType, a.nullable)
    else if (key >= 0) BoundReference(columns.size + key, a.dataType, a.nullable)
    else if (a.nullable) Literal(null, a.dataType)
    else Literal.default(a.dataType)
  })
  private lazy val noValues = {
    val size = UnsafeRow.calculateBitSetWidthInBytes(columns.size) + 8 * columns.size
    val row = UnsafeRow.createFromByteArray(size, columns.size)
    columns.indices.foreach(row.setNullAt)
    row
  }
  private val number = job.timeNumber
  // A row of the group, the target of reads.
  private var whole: UnsafeRow = _

  /** Switches to the group with this key. */
  def use(key: UnsafeRow): Unit = {
    joined.withRight(key): Unit
    whole = null
  }

  override def write(row: UnsafeRow, out: StateOutput): Unit = compact.write(row, out)

  override def read(in: StateInput): UnsafeRow =
    if (compact.isFixed(in)) {
      if (whole == null) whole = restore(joined.withLeft(noValues)).copy()
      compact.readInto(in, whole)
      whole
    } else restore(joined.withLeft(compact.read(in)))

  override def read(in: StateInput, time: Long): UnsafeRow = {
    val row = read(in)
    number.put(row, time)
    row
  }

  override def skip(in: StateInput): Unit = compact.skip(in)
}
