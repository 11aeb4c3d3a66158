package org.apache.spark.sql.muntin.execution.python

import org.apache.spark.sql.catalyst.expressions.{
  CreateNamedStruct,
  Expression,
  Literal,
  Unevaluable
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.muntin.spark.{CollectNonNull, PythonAggregate, PythonCode}
import org.apache.spark.sql.types.DataType

/**
 * A Python aggregate over windows that are already known: one result for each row.
 *
 *   - with ends: the arguments of the rows, one after the other, and for each row the position of
 *     its window's first row among the rows of the partition (`first`, from 1), and the number of
 *     its rows (`size`; null: no result). With a `lane`, only rows for which it is true
 *     are in windows, and have positions.
 *   - with `lists`: the rows of its window, as an array of structs.
 */
final case class PythonCall(
    name: String,
    code: PythonCode,
    dataType: DataType,
    isPandas: Boolean,
    names: Seq[Option[String]],
    arguments: Seq[Expression],
    ends: Option[WindowEnds],
    lists: Option[Expression]
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] =
    arguments ++ ends.toSeq.flatMap(e => Seq(e.first, e.size) ++ e.lane) ++ lists

  override def nullable: Boolean = true

  /** Returns true if one worker can run both. */
  def sharesWorkerWith(other: PythonCall): Boolean =
    code.sharesWorkerWith(other.code) && lists.isDefined == other.lists.isDefined

  override def sql: String = s"$name(${arguments.map(_.sql).mkString(", ")})"

  override def toString: String = sql

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression])
      : PythonCall = {
    val (values, rest) = newChildren.splitAt(arguments.size)
    copy(
      arguments = values,
      ends = ends.map(e => WindowEnds(rest(0), rest(1), e.lane.map(_ => rest(2)))),
      lists = lists.map(_ => rest.last)
    )
  }
}

/** The start and the size of each row's window, in the rows of a lane. */
final case class WindowEnds(first: Expression, size: Expression, lane: Option[Expression])

object PythonCall {
  def ofEnds(python: PythonAggregate, arguments: Seq[Expression], ends: WindowEnds): PythonCall =
    of(python).copy(arguments = arguments, ends = Some(ends))

  def ofLists(python: PythonAggregate, lists: Expression): PythonCall =
    of(python).copy(lists = Some(lists))

  /**
   * Returns the aggregate that collects the rows of a window, for `ofLists`: the function's
   * arguments as structs.
   */
  def rowsOf(python: PythonAggregate): AggregateFunction = CollectNonNull(
    CreateNamedStruct(python.arguments.zipWithIndex.flatMap { case ((_, value), i) =>
      Seq(Literal(s"_$i"), value)
    })
  )

  private def of(python: PythonAggregate): PythonCall = PythonCall(
    python.name,
    python.code,
    python.dataType,
    python.isPandas,
    python.arguments.map(_._1),
    Nil,
    None,
    None
  )
}
