package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.UnevaluableAggregateFunc
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.DataType

/**
 * An aggregate of a row's own frame that also reads the row. It is always inside `framed`, so that
 * Muntin's operator runs it.
 */
trait CurrentRowAggregate extends UnevaluableAggregateFunc

/**
 * `nth` in an OVER clause whose number is an expression of the row. Null if the number is null, or
 * if the frame has no such row.
 */
final case class RowDependentNth(left: Expression, right: Expression)
    extends CurrentRowAggregate
    with BinaryLike[Expression] {
  override def prettyName: String = "nth_value"

  override def dataType: DataType = left.dataType

  override def nullable: Boolean = true

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): RowDependentNth = copy(left = newLeft, right = newRight)
}

/** A number of the row that must be positive or null. */
final case class CheckedPositive(child: Expression, function: String, parameter: String)
    extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def nullable: Boolean = child.nullable

  override def sql: String = child.sql

  override def eval(row: InternalRow): Any = child.eval(row) match {
    case null => null
    case n: Number if n.longValue > 0L => n
    case n =>
      throw new MuntinRuntimeException(
        "MUNTIN_NOT_POSITIVE_IN_ROW",
        "function" -> function,
        "parameter" -> parameter,
        "value" -> n.toString
      )
  }

  override protected def withNewChildInternal(newChild: Expression): CheckedPositive =
    copy(child = newChild)
}
