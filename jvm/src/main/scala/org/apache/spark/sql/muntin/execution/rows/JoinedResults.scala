package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/** Results behind the columns of a row, field by field. */
final class JoinedResults(input: Seq[Attribute], types: Seq[DataType]) {
  private val schema =
    StructType(types.zipWithIndex.map { case (t, i) => StructField(i.toString, t) })
  private val joiner =
    GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(input), schema)
  private val fixed = types.forall(t => UnsafeRow.isFixedLength(t))
  private val projection = if (fixed) null else UnsafeProjection.create(types.toArray)

  /** Where results are written; fields keep their values from row to row. */
  val target: InternalRow =
    if (fixed) UnsafeRow.createFromByteArray(fixedSize(types.size), types.size)
    else new SpecificInternalRow(types)

  /** The row with the results; valid until the next call. */
  def join(row: UnsafeRow): UnsafeRow =
    joiner.join(row, if (fixed) target.asInstanceOf[UnsafeRow] else projection(target))

  private def fixedSize(fields: Int): Int =
    UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
}
