package org.apache.spark.sql.muntin.expressions.common

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, ImperativeAggregate}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.muntin.aggregates.{AggregateInputs, RowFold}
import org.apache.spark.sql.types.DataType

/**
 * An aggregate in an OVER clause that Spark rejects there: over distinct values, or
 * (percentile_disc, listagg WITHIN GROUP) in an ordered frame. It wraps the aggregate from the
 * resolution of the window until planning; Muntin's operator runs the aggregate inside.
 *
 * If Muntin has no motion for the frame, Spark's own operator must run it: it keeps the rows of the
 * frame and aggregates them at the end.
 */
case class OverAggregate(
    child: Expression,
    isDistinct: Boolean,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends UnmergedAggregate[mutable.ArrayBuffer[InternalRow]]
    with UnaryLike[Expression] {

  def function: AggregateFunction = child.asInstanceOf[AggregateFunction]

  override def dataType: DataType = child.dataType

  override def nullable: Boolean = child.nullable

  override def defaultResult: Option[Literal] = function.defaultResult

  override def prettyName: String = child.prettyName

  override def sql(distinct: Boolean): String = function.sql(isDistinct)

  override def sql: String = function.sql(isDistinct)

  override def toAggString(distinct: Boolean): String = function.toAggString(isDistinct)

  override def toString: String = function.toAggString(isDistinct)

  // Equal values are found by the order of the type.
  override def checkInputDataTypes(): TypeCheckResult =
    if (isDistinct) {
      AggregateInputs
        .of(function)
        .map(key => TypeUtils.checkForOrderingExpr(key.dataType, "DISTINCT"))
        .find(_.isFailure)
        .getOrElse(TypeCheckResult.TypeCheckSuccess)
    } else TypeCheckResult.TypeCheckSuccess

  @transient private lazy val fold = new RowFold(function, isDistinct)

  override def createAggregationBuffer(): mutable.ArrayBuffer[InternalRow] =
    mutable.ArrayBuffer.empty

  override def update(
      buffer: mutable.ArrayBuffer[InternalRow],
      row: InternalRow
  ): mutable.ArrayBuffer[InternalRow] = buffer += row.copy()

  override def eval(buffer: mutable.ArrayBuffer[InternalRow]): Any = fold(buffer)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildInternal(newChild: Expression): OverAggregate =
    copy(child = newChild)
}
