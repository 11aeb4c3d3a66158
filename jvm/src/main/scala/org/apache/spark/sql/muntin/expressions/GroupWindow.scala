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
import org.apache.spark.sql.muntin.execution.functions.SparkAggregate
import org.apache.spark.sql.muntin.execution.groups.GroupPlan
import org.apache.spark.sql.muntin.execution.split.GroupReach
import org.apache.spark.sql.types.{DataType, StructType, TimestampType}

/**
 * A function that stands in GROUP BY beside the columns of the group and says which windows a group has:
 * one result comes out for each. It marks its place until ResolveGroupWindows has made a column of it,
 * and PlaceGroupWindows a GroupWindows node.
 */
trait GroupWindow extends Expression with Unevaluable {
  def function: SqlFunction

  /** The column that says which window it is. */
  override def dataType: StructType

  override def nullable: Boolean = false

  final override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  /** The order that the rows of a group are wanted in. */
  def order: Seq[SortOrder]

  /**
   * What has to be known of the rows of all groups before the first window can be told: an aggregate
   * over them, of which `plan` is given the value.
   */
  def ofAllGroups: Option[AggregateFunction] = None

  /**
   * Which pane a row is in, where every window is made of whole panes: then rows are aggregated by pane
   * before those of a key are brought together.
   */
  def pane: Option[Expression] = None

  /** The same windows of panes: `first` and `last` are the least and greatest value in each. */
  def overPanes(first: Attribute, last: Attribute): GroupWindow =
    throw new UnsupportedOperationException(s"$sql is not made of panes")

  /**
   * The last time that a row of the pane of `time` may have, on a stream: until it has passed, others may come.
   */
  def paneLast(time: Expression): Option[Expression] = None

  /** The end of the windows that end last by `time`, in microseconds, if they may end by the clock. */
  def closedBy(time: Long): Option[Long] = None

  /** Whether rows leave its windows in another order than that in which they came. */
  def scatters: Boolean = false

  /** What windows of a part of a group reach; None where that is not known, so that no group can be split over tasks. */
  def groupReach: Option[GroupReach] = None

  /** How it is run; `known` is the value of `ofAllGroups`. */
  def plan(known: Option[Any]): GroupPlan

  /**
   * How it is run on a stream, where the watermark takes the place of `known` and the end never comes; `keyed`, in
   * several groups. An error that says what to write instead, where it is not.
   */
  def planOnStream(keyed: Boolean): GroupPlan =
    throw InvalidArgument(
      prettyName,
      "GROUP BY",
      "on a streaming DataFrame, where it does not run yet; Spark's own window() and session_window() do"
    )

  /** Refuses what cannot be told on a stream in groups of `keys`; `byArrival`, as rows come. */
  def checkOnStream(keys: Seq[Attribute], byArrival: Boolean): Unit = ()

  /** On a stream in several groups: the windows of each are cut at the start of every so many-th row of all. */
  def marksOnStream: Option[Int] = None

  /** On a stream each window has its end in the second field, a TIMESTAMP. */
  def endsOnStream: Boolean =
    dataType.fields.lift(1).exists(f => f.dataType == TimestampType && !f.nullable)

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
