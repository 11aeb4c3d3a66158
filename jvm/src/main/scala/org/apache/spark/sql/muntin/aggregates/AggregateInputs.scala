package org.apache.spark.sql.muntin.aggregates

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  SortOrder
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** Finds the expressions that an aggregate function reads from each row. */
private[muntin] object AggregateInputs {

  /**
   * Returns the children that are not constants. For DISTINCT, rows in which all are equal count as
   * one.
   */
  def of(function: AggregateFunction): Seq[Expression] =
    function.children.map(read).filterNot(_.foldable).distinct

  private def read(child: Expression): Expression = child match {
    case order: SortOrder => order.child
    case other => other
  }

  /** Returns the function over attributes in place of its inputs. */
  def replaced(
      function: AggregateFunction,
      inputs: Seq[Expression]
  ): (AggregateFunction, Seq[Attribute]) = {
    val attributes = inputs.zipWithIndex.map { case (input, i) =>
      AttributeReference(s"input$i", input.dataType, input.nullable)()
    }
    val replace = inputs.zip(attributes).toMap[Expression, Expression]
    val children = function.children.map {
      case order: SortOrder =>
        order.copy(child = replace.getOrElse(order.child, order.child), sameOrderExpressions = Nil)
      case other => replace.getOrElse(other, other)
    }
    (function.withNewChildren(children).asInstanceOf[AggregateFunction], attributes)
  }
}
