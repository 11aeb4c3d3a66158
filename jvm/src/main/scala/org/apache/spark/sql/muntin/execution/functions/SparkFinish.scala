package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.catalyst.expressions.{BindReferences, GenericInternalRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate

/**
 * Runs Spark's own last step of an aggregate, over a buffer that a kernel has filled: for results
 * and errors that Spark decides (overflow, division by zero, decimals' rounding).
 */
final class SparkFinish(function: DeclarativeAggregate) {
  private val buffer = new GenericInternalRow(function.aggBufferAttributes.size)
  private val expression =
    BindReferences.bindReference(function.evaluateExpression, function.aggBufferAttributes)

  /** Returns the result over the buffer's fields, in the order of the aggregate's own buffer. */
  def apply(fields: Any*): Any = {
    fields.indices.foreach(i => buffer.update(i, fields(i)))
    expression.eval(buffer)
  }
}
