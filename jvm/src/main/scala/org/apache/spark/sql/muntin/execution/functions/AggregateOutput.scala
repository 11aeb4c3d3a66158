package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** Writes the value of the partial that `refresh` makes the current one. */
private[muntin] final class AggregateOutput(
    refresh: () => Unit,
    value: => Any,
    function: AggregateFunction,
    ordinal: Int
) extends Output {
  private val writer = InternalRow.getWriter(ordinal, function.dataType)

  override def write(target: InternalRow): Unit = {
    refresh()
    val result = value
    if (result == null) target.setNullAt(ordinal) else writer(target, result)
  }
}
