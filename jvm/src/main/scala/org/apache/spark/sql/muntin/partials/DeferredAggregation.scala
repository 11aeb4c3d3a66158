package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.analysis.{UnresolvedException, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, Unevaluable}
import org.apache.spark.sql.catalyst.trees.TreePattern.{TreePattern, UNRESOLVED_FUNCTION}
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.DataType

/**
 * An aggregate of Odysseus' lists, until the type of its `input` is known: if the input is a
 * partial, it merges partials; else it is the aggregate itself. The aggregate is not a child, so it
 * is not resolved before.
 */
final case class DeferredAggregation(input: Expression, aggregate: UnresolvedFunction)
    extends Expression
    with Unevaluable
    with UnaryLike[Expression] {
  override val nodePatterns: Seq[TreePattern] = Seq(UNRESOLVED_FUNCTION)

  override lazy val resolved: Boolean = false

  override def child: Expression = input

  override def dataType: DataType = throw new UnresolvedException("dataType")

  override def nullable: Boolean = throw new UnresolvedException("nullable")

  override def sql: String = aggregate.sql

  override def toString: String = aggregate.toString

  override protected def withNewChildInternal(newChild: Expression): DeferredAggregation =
    copy(input = newChild)
}

object DeferredAggregation {

  /** The call with which Python and Scala write an aggregate in a list. */
  val Call: Seq[String] = Seq("muntin.aggregation")
}
