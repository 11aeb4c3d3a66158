package org.apache.spark.sql.muntin.expressions.internal

import io.muntin.kernel.sums.TimeWeightedSum
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.muntin.aggregates.StateAggregate
import org.apache.spark.sql.muntin.expressions.TimeWeightedAvg
import org.apache.spark.sql.muntin.expressions.common.CallStyleAggregate
import org.apache.spark.sql.types.{BinaryType, DataType}

/** The state of a time-weighted average over its rows, as bytes; null if no row has a value. */
final case class TimeWeightedPart(
    average: TimeWeightedAvg,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends StateAggregate[TimeWeightedSum]
    with CallStyleAggregate {
  override def prettyName: String = TimeWeightedAvg.name

  override def children: Seq[Expression] = average.children

  override def dataType: DataType = BinaryType

  override def nullable: Boolean = true

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    children.map(format)

  override def createAggregationBuffer(): TimeWeightedSum = average.createAggregationBuffer()

  override def update(sum: TimeWeightedSum, row: InternalRow): TimeWeightedSum =
    average.update(sum, row)

  override def eval(sum: TimeWeightedSum): Any = if (sum.isEmpty) null else serialize(sum)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : TimeWeightedPart =
    copy(average = average.copy(value = newChildren(0), at = newChildren(1)))
}
