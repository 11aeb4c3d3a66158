package org.apache.spark.sql.muntin.execution.rows

import io.muntin.kernel.columns.Column
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.spark.ArrayView
import org.apache.spark.sql.types.DataType

/**
 * An array over values of a column, without a copy: a view that is valid while the result row is
 * written.
 */
abstract class ColumnArray(column: Column, dataType: DataType) extends ArrayView(dataType) {
  private val row = new ColumnRow(Seq(column), Seq(dataType))

  /** Returns the position of element `i` in the column. */
  protected def position(i: Int): Long

  override protected def at(i: Int): InternalRow = row.at(position(i))
}
