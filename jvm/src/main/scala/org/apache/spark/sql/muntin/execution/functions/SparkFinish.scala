package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.{BindReferences, GenericInternalRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

/**
 * An aggregate's own last step, Spark's, over a buffer that a kernel has filled: for results and
 * errors that are Spark's to decide (overflow, division by zero, decimals' rounding).
 */
final class SparkFinish(function: DeclarativeAggregate) {
  private val buffer = new GenericInternalRow(function.aggBufferAttributes.size)
  private val expression =
    BindReferences.bindReference(function.evaluateExpression, function.aggBufferAttributes)

  /** The result over the buffer's fields, in the order of the aggregate's own buffer. */
  def apply(fields: Any*): Any = {
    fields.indices.foreach(i => buffer.update(i, fields(i)))
    expression.eval(buffer)
  }
}
