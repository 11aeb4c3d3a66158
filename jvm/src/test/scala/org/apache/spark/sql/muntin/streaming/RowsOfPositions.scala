package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types._

/** A row for each position, of a length that depends on the position; and the rows' form. */
final class RowsOfPositions {
  private val schema = StructType(Seq(StructField("i", LongType), StructField("s", StringType)))
  private val rowOf = ExpressionEncoder(schema).createSerializer()

  val form: RowForm = new CompactRows(schema.map(_.dataType))

  def row(position: Long): UnsafeRow =
    rowOf(Row(position, if (position % 5 == 0) null else "x" * (position % 23).toInt))
      .asInstanceOf[UnsafeRow]
}
