package org.apache.spark.sql.muntin.aggregates

import scala.collection.mutable

import io.muntin.kernel.AggregateState
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.DataType

/**
 * A Muntin aggregate whose buffer holds Spark values: it is written as a row of fields, fewer than
 * eight, so that the first byte, which marks the nulls, is the first byte of layout 1.
 */
trait FieldsAggregate[B] extends TypedImperativeAggregate[B] {
  protected def fieldTypes: Seq[DataType]

  /** Returns the fields of a buffer. */
  protected def fieldsOf(buffer: B): InternalRow

  /** Returns the buffer with these fields, which are valid until the next call. */
  protected def bufferOf(fields: InternalRow): B

  @transient private lazy val projection = UnsafeProjection.create(fieldTypes.toArray)

  final override def serialize(buffer: B): Array[Byte] = projection(fieldsOf(buffer)).getBytes

  final override def deserialize(bytes: Array[Byte]): B = {
    AggregateState.checkLayout(bytes)
    val fields = new UnsafeRow(fieldTypes.size)
    fields.pointTo(bytes, bytes.length)
    bufferOf(fields)
  }
}

object FieldsAggregate {

  /** Appends the elements of an array, copied. */
  def append(
      elements: ArrayData,
      dataType: DataType,
      to: mutable.ArrayBuffer[Any]
  ): mutable.ArrayBuffer[Any] = {
    elements.foreach(dataType, (_, element) => to += InternalRow.copyValue(element): Unit)
    to
  }
}
