package org.apache.spark.sql.muntin.expressions.common

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnevaluableAggregateFunc}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.muntin.aggregates.RowFold
import org.apache.spark.sql.types.DataType

/** An aggregate as a query writes it: the function, DISTINCT, FILTER. */
final case class Aggregated(
    function: AggregateFunction,
    isDistinct: Boolean,
    filter: Option[Expression]
) {
  def sql: String =
    function.sql(isDistinct) + filter.fold("")(f => s" FILTER (WHERE ${f.sql})")
}

object Aggregated {
  def apply(expression: AggregateExpression): Aggregated =
    Aggregated(expression.aggregateFunction, expression.isDistinct, expression.filter)
}

/**
 * An aggregate function around another aggregate that determines, for each row, the rows of the
 * partition that the inner aggregate reads. Muntin's operator runs the inner aggregate with its own
 * motion.
 *
 * If Spark's own operator must run it, it receives the rows up to the current row, keeps the rows
 * of the current window, and aggregates them again for each row.
 */
trait MovingAggregate extends UnmergedAggregate[mutable.ArrayBuffer[InternalRow]] {

  /** Returns the inner aggregate. */
  def aggregated: Aggregated

  /** Returns the function's own expressions, evaluated for each row. */
  def ownExpressions: Seq[Expression]

  /** Returns this function around `aggregated`, with other own expressions. */
  protected def withParts(aggregated: Aggregated, ownExpressions: Seq[Expression]): MovingAggregate

  final override def children: Seq[Expression] =
    (aggregated.function +: aggregated.filter.toSeq) ++ ownExpressions

  final override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): MovingAggregate = {
    val function = newChildren.head.asInstanceOf[AggregateFunction]
    withFunction(function, newChildren.tail)
  }

  /**
   * Returns the expressions that it reads from a row: the inputs of the inner function, and its
   * other children.
   */
  final def inputs: Seq[Expression] = aggregated.function.children ++ children.tail

  final def withInputs(inputs: Seq[Expression]): MovingAggregate = {
    val (ofFunction, rest) = inputs.splitAt(aggregated.function.children.size)
    val function = aggregated.function.withNewChildren(ofFunction).asInstanceOf[AggregateFunction]
    withFunction(function, rest)
  }

  /** Returns the same windows with another function over their rows. */
  final def withAggregate(function: AggregateFunction): MovingAggregate =
    withParts(aggregated.copy(function = function, isDistinct = false), ownExpressions)

  private def withFunction(function: AggregateFunction, rest: Seq[Expression]): MovingAggregate = {
    val (filter, ownExpressions) = rest.splitAt(aggregated.filter.size)
    withParts(aggregated.copy(function = function, filter = filter.headOption), ownExpressions)
  }

  override def dataType: DataType = aggregated.function.dataType

  override def nullable: Boolean = aggregated.function.nullable

  override def sql: String = s"$prettyName(${(aggregated.sql +: argumentsSql).mkString(", ")})"

  /** Returns the arguments other than the aggregate, without those that have their default. */
  protected def argumentsSql: Seq[String]

  override def sql(isDistinct: Boolean): String = sql

  override def toAggString(isDistinct: Boolean): String = toString

  override def toString: String = sql

  @transient private lazy val fold =
    new RowFold(aggregated.function, aggregated.isDistinct, aggregated.filter)

  override def createAggregationBuffer(): mutable.ArrayBuffer[InternalRow] =
    mutable.ArrayBuffer.empty

  override def eval(rows: mutable.ArrayBuffer[InternalRow]): Any = fold(rows)
}

/**
 * A moving aggregate until the analyzer has turned its OVER clause into a Window. Spark computes
 * the children of an aggregate below its window, so the children are the inputs of the inner
 * aggregate.
 */
final case class UnplacedMovingAggregate(moving: MovingAggregate) extends UnevaluableAggregateFunc {
  override def children: Seq[Expression] = moving.inputs

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : UnplacedMovingAggregate =
    copy(moving = moving.withInputs(newChildren))

  override def dataType: DataType = moving.dataType

  override def nullable: Boolean = moving.nullable

  override def prettyName: String = moving.prettyName

  override def sql: String = moving.sql

  override def sql(isDistinct: Boolean): String = moving.sql

  override def toAggString(isDistinct: Boolean): String = moving.sql

  override def toString: String = moving.sql
}
