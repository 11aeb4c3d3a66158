package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.muntin.execution.functions.AggregateOutput
import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.types.DataType

/** Writes the value of an aggregate of partials over fields that a frame's accumulators hold. */
private object FieldsOutput {
  def apply(function: PartialAggregate, fields: Seq[FieldState], ordinal: Int): Output = {
    val all = fields.toArray
    new AggregateOutput(() => (), function.result(all), function, ordinal)
  }
}

/** A field whose value `output` writes to the first field of a row. */
private final class WrittenField(output: Output, dataType: DataType) extends FieldState {
  private val row = new GenericInternalRow(1)

  override def value: Any = {
    output.write(row)
    row.get(0, dataType)
  }
}
