package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.muntin.aggregates.{FieldsAggregate, SmallBuffer}
import org.apache.spark.sql.types.DataType

/**
 * An aggregate whose buffer is a partial: `partial` makes partials, `merge_partial` merges them.
 */
trait PartialAggregate extends FieldsAggregate[Array[ComponentState]] with SmallBuffer {

  /** Returns the kept components and the last step. */
  def recipe: Recipe

  /** Returns the aggregate's value over the fields of a partial. */
  def result(fields: Array[_ <: FieldState]): Any

  override def isSmall: Boolean = recipe.components.forall(_.isSmall)

  @transient private lazy val types = recipe.components.map(_.dataType).toArray

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

  override def createAggregationBuffer(): Array[ComponentState] =
    recipe.components.iterator.map(_.start()).toArray

  override def merge(
      parts: Array[ComponentState],
      later: Array[ComponentState]
  ): Array[ComponentState] = {
    var i = 0
    while (i < parts.length) {
      val added = later(i).value
      if (added != null) parts(i).merge(added)
      i += 1
    }
    parts
  }

  override def eval(parts: Array[ComponentState]): Any = result(parts)

  override protected def fieldTypes: Seq[DataType] = types.toSeq

  override protected def fieldsOf(parts: Array[ComponentState]): InternalRow =
    stored(parts, offset = 0)

  override protected def bufferOf(fields: InternalRow): Array[ComponentState] = {
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
