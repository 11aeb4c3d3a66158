package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeRowJoiner
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{DataType, StructField, StructType}
import org.apache.spark.unsafe.Platform

/** Results behind the columns of a row, field by field. */
final class JoinedResults(input: Seq[Attribute], types: Seq[DataType]) {
  private val schema =
    StructType(types.zipWithIndex.map { case (t, i) => StructField(i.toString, t) })
  private val columns = input.size
  private val results = types.size
  private val fixed = types.forall(t => UnsafeRow.isFixedLength(t))
  private var hasRoom = false
  private lazy val joiner =
    GenerateUnsafeRowJoiner.create(DataTypeUtils.fromAttributes(input), schema)
  private val projection = if (fixed) null else UnsafeProjection.create(types.toArray)

  /** Where results are written; fields keep their values from row to row. */
  val target: InternalRow =
    if (fixed) UnsafeRow.createFromByteArray(fixedSize(results), results)
    else new SpecificInternalRow(types)

  /**
   * Asks the rows for room for results of a fixed size, and for so many fields `behind` them: then
   * results are written to the rows themselves. How many fields the rows have.
   */
  def askForRoom(rows: LeavesRoom, behind: Int = 0): Int = {
    val all = columns + results + behind
    field = UnsafeRow.calculateBitSetWidthInBytes(all) + 8 * columns
    hasRoom = fixed && rows.leaveRoom(results + behind)
    if (hasRoom) all else columns
  }

  /** The row with the results; valid until the next call, and as long as the row is. */
  def join(row: UnsafeRow): UnsafeRow =
    if (hasRoom) fill(row)
    else joiner.join(row, if (fixed) target.asInstanceOf[UnsafeRow] else projection(target))

  // Where the first result is in a row with room.
  private var field = 0

  // The fields of the room are not null, and the words of those that become null are zeros.
  private def fill(row: UnsafeRow): UnsafeRow = {
    val from = target.asInstanceOf[UnsafeRow]
    val to = row.getBaseObject
    val start = row.getBaseOffset + field
    var i = 0
    while (i < results) {
      Platform.putLong(to, start + 8L * i, from.getLong(i))
      i += 1
    }
    if (from.anyNull) {
      i = 0
      while (i < results) {
        if (from.isNullAt(i)) row.setNullAt(columns + i)
        i += 1
      }
    }
    row
  }

  private def fixedSize(fields: Int): Int =
    UnsafeRow.calculateBitSetWidthInBytes(fields) + 8 * fields
}
