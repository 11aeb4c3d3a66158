package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.spark.OverClause

/**
 * Window functions rewritten to the columns of a lower node, and the expressions that must be
 * computed below that node for them.
 */
private[plans] final case class MovedFunctions(
    functions: Seq[NamedExpression],
    computed: Seq[Alias]
) {

  /** Returns the node's input: the child with the computed columns. */
  def projectInputs(child: LogicalPlan): LogicalPlan = WithColumns.project(child, computed)
}

private[plans] object MovedFunctions {

  /**
   * @param keys
   *   the node's keys, which the moved functions use instead of their own
   * @param order
   *   for each order value of the moved functions, the node's value
   * @param inputs
   *   for each column that the functions read, the expression in columns of the node's child
   */
  def apply(
      functions: Seq[NamedExpression],
      keys: Seq[Expression],
      order: Seq[(Expression, Expression)],
      inputs: AttributeMap[Expression],
      child: LogicalPlan
  ): MovedFunctions = {
    val ordered = functions.map(reordered(_, keys, order))
    val ofNode = AttributeSet(keys ++ order.map(_._2))
    val columns = AttributeSet(ordered).toSeq.filterNot(ofNode.contains).map { original =>
      original -> column(original, inputs.getOrElse(original, original), child)
    }
    val renamed = AttributeMap(columns.map { case (original, c) => original -> c.toAttribute })
    MovedFunctions(
      ordered.map(_.transformUp { case a: Attribute =>
        renamed.getOrElse(a, a)
      }.asInstanceOf[NamedExpression]),
      columns.collect { case (_, a: Alias) => a }
    )
  }

  /** Returns a column with this value: an existing column, or a new one under the known name. */
  def column(original: Attribute, value: Expression, child: LogicalPlan): NamedExpression =
    value match {
      case a: Attribute => a
      case _ =>
        val origin = ExpressionLineage(value, child)
        child.output.find(c => ExpressionLineage(c, child).semanticEquals(origin)).getOrElse {
          Alias(
            value,
            original.name
          )(exprId = original.exprId, explicitMetadata = Some(original.metadata))
        }
    }

  /** Returns the function over other columns with the same keys and order. */
  def reordered(
      function: NamedExpression,
      keys: Seq[Expression],
      order: Seq[(Expression, Expression)]
  ): NamedExpression = {
    def value(e: Expression) =
      order.collectFirst { case (old, now) if old.semanticEquals(e) => now }.getOrElse(e)
    function.transformUp {
      case ranked: RankLike => ranked.withOrder(ranked.children.map(value))
      case OverClause(_, ordered, frame) =>
        OverClause(keys, by(ordered, value), frame)
    }.asInstanceOf[NamedExpression]
  }

  def by(order: Seq[SortOrder], value: Expression => Expression): Seq[SortOrder] =
    order.map(o => o.copy(child = value(o.child), sameOrderExpressions = Nil))
}
