package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

/**
 * Writes results after the columns of a row, field by field; or after the first `inputColumns`
 * columns, in place of the other columns.
 *
 *     row                  k 1   t 2   x 3
 *     two results          k 1   t 2   x 3   4   5
 *     with two kept        k 1   t 2   4   5
 *
 * @param reserved
 *   how many fields are reserved in the rows to have the results appended; None if the results go
 *   to another row
 */
final class JoinedResults(
    input: Seq[Attribute],
    types: Seq[DataType],
    inputColumns: Int,
    reserved: Option[Int]
) {
  private val schema =
    StructType(types.zipWithIndex.map { case (t, i) => StructField(i.toString, t) })
  private val columns = input.size
  private val results = types.size
  private val fixed = types.forall(t => UnsafeRow.isFixedLength(t))
  private lazy val joiner =
    GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(input), schema)
  private lazy val picker = UnsafeProjection.create(
    input.take(inputColumns) ++ types.zipWithIndex.map { case (t, i) =>
      BoundReference(columns + i, t, nullable = true)
    },
    input
  )
  private lazy val both = new JoinedRow
  private val projection = if (fixed) null else UnsafeProjection.create(types.toArray)

  /** The row to which results are written; fields keep their values from row to row. */
  val target: InternalRow =
    if (fixed) UnsafeRow.createFromByteArray(fixedSize(results), results)
    else new SpecificInternalRow(types)

  /** The number of fields of the rows that are joined with results. */
  val fieldsOfRows: Int = columns + reserved.getOrElse(0)

  /**
   * Returns the row with the results; valid until the next call, and while the input row is valid.
   */
  def join(row: UnsafeRow): UnsafeRow =
    if (isAppended) fill(row)
    else if (inputColumns < columns) picker(both(row, target))
    else joiner.join(row, if (fixed) target.asInstanceOf[UnsafeRow] else projection(target))

  private val isAppended = reserved.isDefined
  // The offset of the first result in a row that has the results appended.
  private val field = UnsafeRow.calculateBitSetWidthInBytes(fieldsOfRows) + 8 * inputColumns

  // Reserved fields are not null; fields that become null contain zeros.
  private def fill(row: UnsafeRow): UnsafeRow = {
    val from = target.asInstanceOf[UnsafeRow]
    val to = row.getBaseObject
    val start = row.getBaseOffset + field
    var i = 0
    while (i < results) {
      Platform.putLong(to, start + 8L * i, from.getLong(i))
      i += 1
    }
    i = inputColumns
    while (i < columns) {
      BitSetMethods.unset(to, row.getBaseOffset, i)
      i += 1
    }
    if (from.anyNull) {
      i = 0
      while (i < results) {
        if (from.isNullAt(i)) row.setNullAt(inputColumns + i)
        i += 1
      }
    }
    row
  }

  private def fixedSize(fields: Int): Int =
    UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
}

object JoinedResults {

  /**
   * Returns how many fields must be reserved in the rows to append results of these types, with
   * `after` reserved fields after the results; None if they cannot be appended.
   */
  def toReserve(
      input: Seq[Attribute],
      types: Seq[DataType],
      inputColumns: Int,
      after: Int = 0
  ): Option[Int] = {
    val fields = inputColumns + types.size + after - input.size
    val written = input.drop(inputColumns).map(_.dataType) ++ types
    Option.when(fields >= 0 && written.forall(t => UnsafeRow.isFixedLength(t)))(fields)
  }
}
