package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.muntin.aggregates.{FieldsAggregate, SmallBuffer}
import org.apache.spark.sql.types.DataType

/**
 * An aggregate whose buffer is a partial: `partial` makes partials, `merge_partial` merges them.
 */
trait PartialAggregate extends FieldsAggregate[Array[MergeableFieldState]] with SmallBuffer {

  /** Returns the kept components and the last step. */
  def layout: PartialLayout

  /** Returns the aggregate's value over the fields of a partial. */
  def result(fields: Array[_ <: FieldState]): Any

  override def isSmall: Boolean = layout.partialFields.forall(_.isSmall)

  @transient private lazy val types = layout.partialFields.map(_.dataType).toArray

  /** Returns the fields as a row, from field `offset` on; the fields before it are null. */
  protected final def stored(fields: Array[_ <: FieldState], offset: Int): InternalRow = {
    val row = new GenericInternalRow(offset + types.length)
    var i = 0
    while (i < types.length) {
      row.update(offset + i, fields(i).value)
      i += 1
    }
    row
  }

  override def createAggregationBuffer(): Array[MergeableFieldState] =
    layout.partialFields.iterator.map(_.start()).toArray

  override def merge(
      parts: Array[MergeableFieldState],
      later: Array[MergeableFieldState]
  ): Array[MergeableFieldState] = {
    var i = 0
    while (i < parts.length) {
      val added = later(i).value
      if (added != null) parts(i).merge(added)
      i += 1
    }
    parts
  }

  override def eval(parts: Array[MergeableFieldState]): Any = result(parts)

  override protected def fieldTypes: Seq[DataType] = types.toSeq

  override protected def fieldsOf(parts: Array[MergeableFieldState]): InternalRow =
    stored(parts, offset = 0)

  override protected def bufferOf(fields: InternalRow): Array[MergeableFieldState] = {
    val parts = createAggregationBuffer()
    var i = 0
    while (i < parts.length) {
      if (!fields.isNullAt(i)) parts(i).merge(fields.get(i, types(i)))
      i += 1
    }
    parts
  }

  override def sql(isDistinct: Boolean): String = sql

  override def toAggString(isDistinct: Boolean): String = sql

  override def toString: String = sql
}
