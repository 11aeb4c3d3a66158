package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.execution.frames.{
  FramePlan,
  PlannedFrame,
  PlannedFunction,
  RangeKeys,
  SessionPlan,
  Unbounded
}
import org.apache.spark.sql.muntin.execution.over.{OverHalo, OverPlan}
import org.apache.spark.sql.muntin.execution.rows.RowsWhere
import org.apache.spark.sql.muntin.execution.split.Halo

/**
 * How far from a row, in the order of time, the rows are that the windows of one operator read:
 * `behind` before it and `ahead` after it. None if the distance is unknown. A distance may be too
 * large: then a refresh computes more results than necessary.
 *
 *     RANGE BETWEEN 7 PRECEDING AND 2 FOLLOWING     behind = 7 of time, ahead = 2 of time
 *     a changed row at 100                          affects results from 98 to 107,
 *                                                   which read rows from 91 to 109
 *     ROWS 9 PRECEDING                              behind = 9 rows, ahead = 0
 *     a changed row at 100                          affects its result and the next 9,
 *                                                   which read the 9 rows before
 *     since(sum(x), p)                              behind = 1 row for which p is true
 *     a changed row at 100                          affects results up to the next such row,
 *                                                   which read the rows from the last such row on
 *
 * A reach is the halo that a chunk of a partition reads (`OverHalo`).
 *
 * @param operator
 *   the window or the operator, for messages
 * @param continued
 *   if the results of running totals continue from former results: how far behind the other rows
 *   are that are read
 */
private[refresh] final case class Reach(
    behind: Option[Distance],
    ahead: Option[Distance],
    operator: String = "",
    continued: Option[Distance] = None
) {
  private def distances: Seq[Distance] = (behind ++ ahead ++ continued).toSeq

  /** Returns how far behind the rows are that must be read. */
  def read: Option[Distance] = continued.orElse(behind)

  /** Returns the reach of windows that have one or the other. */
  def or(other: Reach): Reach = Reach(
    for (mine <- behind; others <- other.behind) yield mine.max(others),
    for (mine <- ahead; others <- other.ahead) yield mine.max(others),
    if (isBounded) other.operator else operator,
    for (mine <- read; others <- other.read) yield mine.max(others)
  )

  def isBounded: Boolean = behind.isDefined && ahead.isDefined

  /** Returns true if a distance depends on the rows of the key. */
  def readsRows: Boolean = distances.exists(_.readsRows)

  /** The conditions of the rows that are counted. */
  def conditions: Seq[Expression] = distances.flatMap(_.conditions)

  /** Returns the reach with other conditions; a distance without a replacement is unknown. */
  def mapConditions(change: Expression => Option[Expression]): Reach =
    mapDistances(_.flatMap(_.mapConditions(change)))

  /** Returns the reach if the rows of the key are not known. */
  def withoutRows: Reach = mapDistances(_.filterNot(_.readsRows)).copy(continued = None)

  private def mapDistances(change: Option[Distance] => Option[Distance]): Reach =
    copy(behind = change(behind), ahead = change(ahead), continued = change(continued))
}

private[refresh] object Reach {

  /** Each result reads its own row. */
  val OwnRow: Reach = Reach(Some(Distance.Zero), Some(Distance.Zero))

  val WholeKey: Reach = Reach(None, None)

  /** Returns the reach of a window function over rows in ascending order of a time. */
  def of(window: WindowExpression, axis: TimeAxis): Reach = {
    val replaced = window.transform { case r: RuntimeReplaceable => r.replacement }
    val order = window.windowSpec.orderSpec
    OverPlan.of(Seq(replaced)) match {
      case Some(plan) =>
        val found = plan.functions.map(ofPlanned(_, order, axis)).reduce(_ or _)
        found.copy(continued = RunningFunction.of(window).map(_ => Distance.Zero))
      // Spark runs the function, and computes each frame from its rows.
      case None if readsFrame(window.windowFunction) =>
        FramePlan.standard(window.windowSpec, SQLConf.get.sessionLocalTimeZone)
          .fold(WholeKey)(ofFrame(_, order, axis))
      case None => WholeKey
    }
  }

  /** Returns true if Spark's function reads the rows of its frame, and no others. */
  private def readsFrame(function: Expression): Boolean = function match {
    case call: AggregateExpression => readsFrame(call.aggregateFunction)
    case _: SizeBasedWindowFunction | _: FrameLessOffsetWindowFunction => false
    case other => other.getClass.getName.startsWith("org.apache.spark.sql.catalyst.expressions.")
  }

  private def ofPlanned(function: PlannedFunction, order: Seq[SortOrder], axis: TimeAxis): Reach =
    function.frame match {
      // The last bits may depend on the position of the first row.
      case frame if PlannedFrame(frame, Seq(function)).hasBlocks => WholeKey
      case SessionPlan(_, gap, isNumbered) =>
        val session = axis.gap(gap).map(g => Distance(0.0, gap = Some(g)))
        Reach(if (isNumbered) None else session, Some(Distance.Zero))
      case frame =>
        OverHalo.ofFunction(function, order) match {
          case Some(halo) =>
            val isRanked = function.function.isRanked
            Reach(if (isRanked) None else behind(halo, axis), ahead(halo, axis))
          case None =>
            frame match {
              case plan: FramePlan => ofFrame(plan, order, axis)
              case _ => WholeKey
            }
        }
    }

  private def ofFrame(frame: FramePlan, order: Seq[SortOrder], axis: TimeAxis): Reach = {
    val ends = Seq(frame.lower, frame.upper).filter(_ != Unbounded)
      .map(OverHalo.ofEdge(_, order))
    if (ends.contains(None) || frame.complete.isDefined) WholeKey
    else {
      val halo = ends.flatten.foldLeft(Halo.NoRows)(_ and _).copy(
        isPreceded = frame.lower == Unbounded,
        isFollowed = frame.upper == Unbounded
      )
      Reach(behind(halo, axis), ahead(halo, axis))
    }
  }

  private def behind(halo: Halo, axis: TimeAxis): Option[Distance] =
    if (halo.isPreceded) None
    else distance(halo.rangesBefore, halo.rowsBefore, halo.requiredMatches.before, -1, axis)

  private def ahead(halo: Halo, axis: TimeAxis): Option[Distance] =
    if (halo.isFollowed) None
    else distance(halo.rangesAfter, halo.rowsAfter, halo.requiredMatches.after, 1, axis)

  private def distance(
      ranges: Seq[RangeKeys],
      rows: Long,
      matches: Seq[RowsWhere],
      direction: Int,
      axis: TimeAxis
  ): Option[Distance] = {
    val lengths = ranges.map(range => axis.distance(range.offset, direction))
    val counted = if (rows == 0L) Nil else Seq(RowsWhere(Literal.TrueLiteral, rows))
    Option.unless(lengths.contains(None)) {
      Distance(lengths.flatten.foldLeft(0.0)(math.max), counted ++ matches)
    }
  }
}
