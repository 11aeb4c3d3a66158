package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, ImperativeAggregate}
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  AroundAggregate,
  Definition,
  Definitions
}
import org.apache.spark.sql.types.DataType

/**
 * Returns the partial of an aggregate over the rows; see `Partial.definition`. Its children are the
 * inputs.
 */
final case class Partial(
    function: AggregateFunction,
    isDistinct: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends PartialAggregate {
  override def children: Seq[Expression] = function.children

  override def prettyName: String = Partial.name

  override def sql: String = s"${Partial.name}(${function.sql(isDistinct)})"

  @transient lazy val layout: PartialLayout = PartialLayouts.of(function, isDistinct).head

  @transient private lazy val read = PartialLayouts.inputs(function)
  @transient private lazy val x = read.head
  @transient private lazy val y = read.lift(1).orNull
  @transient private lazy val inputs = new Inputs

  override lazy val dataType: DataType =
    PartialType(read.map(_.dataType), layout.partialFields).dataType

  override def nullable: Boolean = false

  override def update(
      parts: Array[MergeableFieldState],
      row: InternalRow
  ): Array[MergeableFieldState] = {
    inputs.row = row
    inputs.x = x.eval(row)
    if (y != null) inputs.y = y.eval(row)
    var i = 0
    while (i < parts.length) {
      parts(i).update(inputs)
      i += 1
    }
    parts
  }

  override def result(fields: Array[_ <: FieldState]): Any = stored(fields, offset = 1)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Partial =
    copy(function = function.withNewChildren(newChildren).asInstanceOf[AggregateFunction])
}

object Partial extends AroundAggregate {
  override def definition: Definition = Definitions.partial

  override protected def build: PartialFunction[Seq[Expression], Expression] = { case Seq(agg) =>
    val read = new Arguments(name)
    val aggregate = read.aggregate(agg)
    aggregate.aggregateFunction match {
      case merging: MergePartial => filtered(merging.asStored, aggregate.filter)
      case _: Partial => throw read.error("MUNTIN_PARTIAL_OF_PARTIAL", "aggregate" -> aggregate.sql)
      case function =>
        if (PartialLayouts.of(function, aggregate.isDistinct).isEmpty) {
          throw read.error(
            "MUNTIN_AGGREGATE_WITHOUT_PARTIALS",
            "aggregate" -> function.sql(aggregate.isDistinct)
          )
        }
        filtered(Partial(function, aggregate.isDistinct), aggregate.filter)
    }
  }

  /** Makes the FILTER of the inner aggregate the FILTER of the partial. */
  private[partials] def filtered(
      function: AggregateFunction,
      filter: Option[Expression]
  ): Expression =
    if (filter.isEmpty) function else function.toAggregateExpression(false, filter)
}
