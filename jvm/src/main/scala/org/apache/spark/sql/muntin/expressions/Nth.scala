package org.apache.spark.sql.muntin.expressions

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.muntin.aggregates.FieldsAggregate
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  CallStyleAggregate,
  Definition,
  Definitions,
  SqlFunction
}
import org.apache.spark.sql.types.{ArrayType, DataType}

/**
 * The n-th value of a group, from the end if n is negative; see `Nth.definition`. Muntin's operator
 * finds it by its position.
 *
 * A partial holds the first n values, or the last n: the number of rows before or after them in
 * another partial is unknown until the partials are merged.
 */
final case class Nth(
    child: Expression,
    n: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends FieldsAggregate[mutable.ArrayBuffer[Any]]
    with UnaryLike[Expression]
    with CallStyleAggregate {
  override def prettyName: String = Nth.name

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = true

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    Seq(format(child), n.toString)

  override def createAggregationBuffer(): mutable.ArrayBuffer[Any] = mutable.ArrayBuffer.empty

  override def update(
      values: mutable.ArrayBuffer[Any],
      row: InternalRow
  ): mutable.ArrayBuffer[Any] =
    if (n < 0) {
      if (values.size == -n) values.remove(0): Unit
      values += InternalRow.copyValue(child.eval(row))
    } else if (values.size < n) values += InternalRow.copyValue(child.eval(row))
    else values

  override def merge(
      values: mutable.ArrayBuffer[Any],
      later: mutable.ArrayBuffer[Any]
  ): mutable.ArrayBuffer[Any] =
    if (n < 0) (values ++= later).takeRight(-n) else values ++= later.take(n - values.size)

  override def eval(values: mutable.ArrayBuffer[Any]): Any =
    if (values.size < math.abs(n)) null else if (n < 0) values.head else values(n - 1)

  override protected def fieldTypes: Seq[DataType] =
    Seq(ArrayType(child.dataType, containsNull = true))

  override protected def fieldsOf(values: mutable.ArrayBuffer[Any]): InternalRow =
    InternalRow(new GenericArrayData(values.toArray))

  override protected def bufferOf(fields: InternalRow): mutable.ArrayBuffer[Any] =
    FieldsAggregate.append(fields.getArray(0), child.dataType, createAggregationBuffer())

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): Nth = copy(child = newChild)
}

object Nth extends SqlFunction {
  override def definition: Definition = Definitions.nth

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x, n) => Nth(x, new Arguments(name).place("n", n))
  }
}
