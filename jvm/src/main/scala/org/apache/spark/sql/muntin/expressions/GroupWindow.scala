package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{
  Attribute,
  AttributeReference,
  Expression,
  RuntimeReplaceable,
  SortOrder,
  Unevaluable
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.trees.TreePattern
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A function that stands in GROUP BY beside the columns of the group and says which windows a group
 * has: one result comes out for each. It marks its place until ResolveGroupWindows has made a
 * column of it, and PlaceGroupWindows a GroupWindows node. What planning knows of it is its
 * GroupWindowSpec.
 */
trait GroupWindow extends Expression with Unevaluable {
  def function: SqlFunction

  /** The column that says which window it is. */
  override def dataType: StructType

  override def nullable: Boolean = false

  final override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  /** The order that the rows of a group are wanted in: windows lie along its first column. */
  def order: Seq[SortOrder]

  override def prettyName: String = function.name

  /** What it shows of its arguments that are no columns, such as `size => 30`. */
  protected def argumentsSql: Seq[String]

  final override def sql: String =
    (children.map(_.sql) ++ argumentsSql).mkString(s"$prettyName(", ", ", ")")

  final override def toString: String =
    (children.map(_.toString) ++ argumentsSql).mkString(s"$prettyName(", ", ", ")")
}

object GroupWindow {

  /**
   * What marks plans and expressions with a window of Muntin's, so that rules need not look into
   * others. Spark marks its own window() so, and has none left when a query is analyzed.
   */
  val Pattern: TreePattern = TreePattern.TIME_WINDOW
}

/** An aggregate in a GroupWindows node, where Spark's own wrapper is not allowed. */
final case class GroupAggregate(
    function: AggregateFunction,
    isDistinct: Boolean,
    filter: Option[Expression]
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = function +: filter.toSeq

  override def dataType: DataType = function.dataType

  override def nullable: Boolean = function.nullable

  def aggregated: Aggregated = Aggregated(function, isDistinct, filter)

  /** The attribute of its results. */
  def result: Attribute = AttributeReference(sql, dataType, nullable)()

  override def sql: String = aggregated.sql

  override def toString: String = sql

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): GroupAggregate =
    copy(
      function = newChildren.head.asInstanceOf[AggregateFunction],
      filter = newChildren.tail.headOption
    )
}

object GroupAggregate {
  def apply(expression: AggregateExpression): GroupAggregate =
    GroupAggregate(expression.aggregateFunction, expression.isDistinct, expression.filter)

  def apply(function: AggregateFunction): GroupAggregate =
    GroupAggregate(function, isDistinct = false, None)

  /** An aggregate of the query, which the windows of `name` can run. */
  def placed(name: String, aggregate: AggregateExpression): GroupAggregate =
    aggregate.aggregateFunction match {
      case u: Unplaced =>
        throw InvalidArgument(name, "agg", s"${u.sql} has rows of its own; it belongs in OVER")
      case f if !SparkAggregate.canRun(f) && !f.isInstanceOf[RuntimeReplaceable] =>
        throw new Arguments(name).notSparks(f)
      case _ => GroupAggregate(aggregate)
    }
}
