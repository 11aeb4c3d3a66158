package org.apache.spark.sql.muntin.execution.frames

import io.muntin.kernel.columns.{ObjectColumn, ValueKeys}
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}

/** Keys of any type, with bounds from an expression. */
final class ExpressionKeys(
    column: ObjectColumn,
    descending: Boolean,
    nullsFirst: Boolean,
    addition: Expression,
    order: Ordering[Any]
) extends ValueKeys(column, descending, nullsFirst) {
  private val row = new GenericInternalRow(1)
  private var bound: Any = null

  override protected def setBound(current: Long): Unit = {
    row.update(0, column(current))
    bound = addition.eval(row)
  }

  override protected def compareToBound(position: Long): Int =
    order.compare(column(position), bound)
}
