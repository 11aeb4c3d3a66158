package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  Unevaluable,
  WindowFunction,
  WindowSpecDefinition
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.spark.{AggregateCall, OverCall}
import org.apache.spark.sql.types.DataType

/** A window function in a StreamWindows node, where Spark's own expression is not allowed. */
final case class StreamFunction(function: Expression, spec: WindowSpecDefinition)
    extends Expression
    with Unevaluable {
  // Spark allows a function such as rank() only in its own expression.
  override def children: Seq[Expression] = function match {
    case f: WindowFunction => f.children :+ spec
    case f => Seq(f, spec)
  }

  override def dataType: DataType = function.dataType

  override def nullable: Boolean = function.nullable

  override def sql: String = s"${function.sql} OVER ${spec.sql}"

  override def toString: String = s"$function $spec"

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): StreamFunction = {
    val newFunction = function match {
      case f: WindowFunction =>
        f.withNewChildren(newChildren.init)
      case _ => newChildren.head
    }
    StreamFunction(newFunction, newChildren.last.asInstanceOf[WindowSpecDefinition])
  }
}

object StreamFunction {

  /** Returns an expression over window functions in the form that the node uses. */
  def hidden(expression: Expression): Expression = expression.transformUp {
    case a: AggregateExpression => GroupAggregate(a)
    case OverCall(function, spec) => StreamFunction(function, spec)
  }

  /** Returns the expression in Spark's own form. */
  def shown(expression: Expression): Expression = expression.transformUp {
    case GroupAggregate(function, isDistinct, filter) =>
      AggregateCall(function, isDistinct, filter)
    case StreamFunction(function, spec) => OverCall(function, spec)
  }
}
