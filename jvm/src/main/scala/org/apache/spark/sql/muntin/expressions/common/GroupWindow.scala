package org.apache.spark.sql.muntin.expressions.common

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
 * A function in GROUP BY, next to the columns of the group, that defines the windows of a group.
 * Each window has one result. It is a marker until ResolveGroupWindows turns it into a column, and
 * PlaceGroupWindows into a GroupWindows node. Its plan is a GroupWindowPlan.
 */
trait GroupWindow extends Expression with Unevaluable {
  def function: SqlFunction

  /** The type of the column that identifies a row's window. */
  override def dataType: StructType

  override def nullable: Boolean = false

  final override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  /** Returns the required order of a group's rows; windows lie along its first column. */
  def order: Seq[SortOrder]

  /**
   * Returns true if windows that are still open at the end are emitted; None if the query does not
   * specify it.
   */
  def drain: Option[Boolean] = None

  /** Like `drain`, with the default of a batch, which ends. */
  final def drains: Boolean = drain.getOrElse(true)

  override def prettyName: String = function.name

  /** Returns the arguments that are not columns, as EXPLAIN shows them, such as `size => 30`. */
  protected def argumentsSql: Seq[String]

  final override def sql: String = call(children.map(_.sql))

  final override def toString: String = call(children.map(_.toString))

  /** Returns the call with these columns. */
  final def call(columns: Seq[String]): String =
    (columns ++ argumentsSql).mkString(s"$prettyName(", ", ", ")")
}

object GroupWindow {

  /**
   * Marks plans and expressions that have a Muntin window, so that rules can skip the others. Spark
   * marks its own window() in the same way, but has replaced it when a query is analyzed.
   */
  val Pattern: TreePattern = TreePattern.TIME_WINDOW
}

/** An aggregate in a GroupWindows node, where Spark's AggregateExpression is not allowed. */
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

  /** Returns a new attribute for the results. */
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

  /** Returns an aggregate of the query, if the windows of `name` can run it. */
  def placed(name: String, aggregate: AggregateExpression): GroupAggregate =
    aggregate.aggregateFunction match {
      case u: UnplacedMovingAggregate =>
        throw new Arguments(name).error("MUNTIN_AGGREGATE_HAS_WINDOW", "aggregate" -> u.sql)
      case f if !SparkAggregate.canRun(f) && !f.isInstanceOf[RuntimeReplaceable] =>
        throw new Arguments(name).notSparks(f)
      case _ => GroupAggregate(aggregate)
    }
}
