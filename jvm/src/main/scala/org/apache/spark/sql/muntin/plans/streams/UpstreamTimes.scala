package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.plans.logical.{
  AnchoredWindows,
  ExpressionLineage,
  GroupWindows,
  StreamWindows
}
import org.apache.spark.sql.muntin.spark.{GroupBy, JoinOn, Minus, MuntinAnalysisException}

/**
 * Traces the time of windows on a stream to upstream windows. Two operators emit rows that lag the
 * watermark: validity, by the start time of its windows, and an OVER clause that waits for rows
 * (lead, ROWS … FOLLOWING). Both report their oldest open window, or their oldest waiting row, to
 * the downstream operator, which uses that bound instead of the watermark.
 *
 *     OVER (ORDER BY at)                       uses the least bound of both sides
 *     +- Union
 *        :- Project [w.start AS at]
 *        :  +- GroupWindows [validity AS w]    reports the start of its oldest open piece
 *        +- Project [t AS at]
 *           +- StreamWindows [lead … BY t]     reports the time of its oldest waiting row
 *
 * An operator downstream of this one does the same, for any time that orders its output. In the
 * order of arrival only the second kind holds time back, because each group's windows begin in
 * order.
 */
private[plans] object UpstreamTimes {

  /**
   * Returns the times of windows whose bound an operator over `rows` uses, with the time `time` and
   * groups of `keys`; empty if the operator uses the watermark.
   *
   * @param function
   *   the operator's SQL function, for errors
   */
  def apply(
      function: String,
      time: Expression,
      keys: Seq[Expression],
      rows: LogicalPlan
  ): Seq[ResultTime] = if (MuntinConf.isByGroup(SQLConf.get)) {
    // CheckGroupOrder rejects windows over windows that wait.
    Nil
  } else {
    val held = heldBack(function, time, rows)
    if (held.nonEmpty || !isByArrival) held
    else ArrivalTimes(function, time, keys, rows, of(time, rows).map(_.result))
  }

  /** Returns the times of windows whose rows lag the watermark, if `time` is one of them. */
  def heldBack(function: String, time: Expression, rows: LogicalPlan): Seq[ResultTime] =
    if (!mayHoldBack(rows)) Nil
    else {
      val origins = of(time, rows)
      if (!origins.exists(_.usesUpstreamBound)) Nil
      else
        origins.map(_.result.getOrElse(throw new MuntinAnalysisException(
          "MUNTIN_UPSTREAM_NOT_IN_ORDER",
          "function" -> function,
          "time" -> toPrettySQL(time)
        )))
    }

  /** Returns true if rows of these windows of a stream lag the watermark. */
  def lagsWatermark(plan: LogicalPlan): Boolean = plan match {
    case windows if MuntinConf.isByGroup(SQLConf.get) => CheckGroupOrder.waits(windows)
    case windows: GroupWindows => windows.isStreaming && hasUpstreamBound(windows)
    case windows: StreamWindows =>
      waitsForRows(windows) ||
      windows.orderSpec.headOption.exists(o => usesUpstreamBound(o.child, windows.child))
    case windows: AnchoredWindows => windows.onStream.isDefined && hasUpstreamBound(windows)
    case _ => false
  }

  /** Returns true if an operator with this time uses the bound of upstream windows. */
  def usesUpstreamBound(time: Expression, rows: LogicalPlan): Boolean =
    mayHoldBack(rows) && of(time, rows).exists(_.usesUpstreamBound)

  /** Returns true if upstream windows may hold back the time of an operator over these rows. */
  def mayHoldBack(rows: LogicalPlan): Boolean = rows.isStreaming && rows.exists(holdsBack)

  /** Returns true if the operator may hold back the time of downstream operators. */
  private def holdsBack(plan: LogicalPlan): Boolean = plan match {
    case windows: GroupWindows =>
      windows.isStreaming && windows.plan.begins.isDefined && !isByArrival
    case windows: StreamWindows => waitsForRows(windows)
    // Windows are placed one after the other: upstream windows may still be Spark's.
    case window: Window => window.isStreaming && StreamWindowsCheck.waitsForRows(window)
    case _ => false
  }

  private def waitsForRows(windows: StreamWindows): Boolean = windows.job.delay.isEmpty

  private def isByArrival: Boolean = MuntinConf.isByArrival(SQLConf.get)

  /**
   * The origin of a time on one path down the plan.
   *
   * @param result
   *   the time of upstream windows that it is, if their bound in this order is known
   * @param usesUpstreamBound
   *   true if the watermark does not determine which rows may still arrive
   */
  private final case class TimeOrigin(result: Option[ResultTime], usesUpstreamBound: Boolean)

  private val Other = Seq(TimeOrigin(None, usesUpstreamBound = false))

  private def of(time: Expression, rows: LogicalPlan): Seq[TimeOrigin] = (time, rows) match {
    case (PreciseTimestampConversion(same, _, _), _) => of(same, rows)
    case (UnixMicros(same), _) => of(same, rows)
    // Spark's window_time: later windows end above the bound, so it is not below the bound.
    case (Minus(end, Literal(1L, _)), _) => of(end, rows)
    case (_, windows: GroupWindows) => ofGroups(time, windows)
    case (_, windows: StreamWindows) =>
      val (id, waits) = (windows.results.head.exprId, waitsForRows(windows))
      ofOver(time, windows.orderSpec, id, waits, windows.child)
    case (_, window: Window) =>
      val id = window.windowExpressions.head.exprId
      ofOver(time, window.orderSpec, id, StreamWindowsCheck.waitsForRows(window), window.child)
    case (_, windows: AnchoredWindows) => ofAnchors(time, windows)
    case (_, Project(list, child)) =>
      of(ExpressionLineage.throughProject(time, list).transformUp(simple), child)
    case (_, union: Union) =>
      union.children.flatMap { child =>
        val columns = AttributeMap(union.output.zip(child.output))
        of(time.transform { case a: Attribute => columns.getOrElse(a, a) }, child)
      }
    case (_, JoinOn(left, right, _, _)) if !right.isStreaming && isOf(time, left) => of(time, left)
    case (_, JoinOn(left, right, _, _)) if !left.isStreaming && isOf(time, right) => of(time, right)
    // The rows of these operators are not the rows of their children.
    case (_, GroupBy(_, _, _)) => Other
    case (_, _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark) => Other
    case (_, _: GlobalLimit) => Other
    // In the order of time, CheckWatermarks rejects it above windows.
    case (_, marked: EventTimeWatermark) => if (isByArrival) of(time, marked.child) else Other
    case (_, other: UnaryNode) if isOf(time, other.child) => of(time, other.child)
    // An unknown operator computes the time.
    case (_, other) => Seq(TimeOrigin(None, usesUpstreamBound = other.children.exists(mayHoldBack)))
  }

  private def isOf(time: Expression, rows: LogicalPlan): Boolean =
    time.references.subsetOf(rows.outputSet)

  private val simple: PartialFunction[Expression, Expression] = {
    case field: GetStructField if field.child.isInstanceOf[CreateNamedStruct] =>
      field.child.asInstanceOf[CreateNamedStruct].valExprs(field.ordinal)
  }

  private def ofGroups(time: Expression, windows: GroupWindows): Seq[TimeOrigin] = time match {
    case f: GetStructField if f.child.semanticEquals(windows.windowAttribute) =>
      val id = windows.windowAttribute.exprId
      if (windows.plan.begins.contains(f.ordinal)) {
        val usesUpstreamBound = !isByArrival || hasUpstreamBound(windows)
        Seq(TimeOrigin(Some(ResultTime(id, isBegin = true)), usesUpstreamBound))
      } else {
        val result = Option.when(windows.plan.times.contains(f.ordinal))(ResultTime(id, false))
        Seq(TimeOrigin(result, hasUpstreamBound(windows)))
      }
    case _ => Seq(TimeOrigin(None, hasUpstreamBound(windows)))
  }

  private def hasUpstreamBound(windows: GroupWindows): Boolean =
    usesUpstreamBound(GroupStreamTime.ordered(windows.window), windows.child)

  /** Anchors are emitted by their time with the watermark; their greatest delay may be known. */
  private def ofAnchors(time: Expression, windows: AnchoredWindows): Seq[TimeOrigin] =
    windows.onStream match {
      case None if isOf(time, windows.left) => of(time, windows.left)
      case None => Seq(TimeOrigin(None, mayHoldBack(windows.left)))
      case Some(times) =>
        val isOwn = times.anchorTime.exists(isSame(time, _, windows.left))
        val result = Option.when(isOwn && times.delay.isDefined)(windows.id).flatten
        Seq(TimeOrigin(result.map(ResultTime(_, isBegin = false)), hasUpstreamBound(windows)))
    }

  private def hasUpstreamBound(windows: AnchoredWindows): Boolean =
    usesUpstreamBound(windows.bounds.time, windows.right) ||
      windows.onStream.flatMap(_.anchorTime).exists(usesUpstreamBound(_, windows.left))

  /**
   * If the consumer orders by a time other than the order of OVER, the output delay is unbounded.
   * With `waits` the bound is the oldest waiting row; for validity it is the start of the oldest
   * open window.
   */
  private def ofOver(
      time: Expression,
      order: Seq[SortOrder],
      id: ExprId,
      waits: Boolean,
      child: LogicalPlan
  ): Seq[TimeOrigin] = {
    val ordered = order.headOption.toSeq.flatMap(o => of(o.child, child))
    val usesUpstreamBound = waits || ordered.exists(_.usesUpstreamBound)
    val isOrder = order.headOption.exists(o => isSame(time, o.child, child))
    if (usesUpstreamBound || isOrder) {
      val isKnown = ordered.forall(f => f.result.isDefined || !ordered.exists(_.usesUpstreamBound))
      // In the order of arrival, rows out of order do not advance the time of all groups.
      val isMoved =
        !waits || !isByArrival || ordered.exists(_.usesUpstreamBound) || isInOrder(child)
      val result = Option.when(isOrder && isKnown && isMoved)(ResultTime(id, isBegin = waits))
      Seq(TimeOrigin(result, usesUpstreamBound))
    } else of(time, child).map(_.copy(result = None))
  }

  private def isInOrder(rows: LogicalPlan): Boolean = !rows.exists {
    case windows: GroupWindows => windows.isStreaming
    case _ => false
  }

  private def isSame(time: Expression, order: Expression, rows: LogicalPlan): Boolean =
    isSame(time, order) || isSame(ExpressionLineage(time, rows), ExpressionLineage(order, rows))

  private def isSame(time: Expression, order: Expression): Boolean =
    ExpressionLineage.time(time).semanticEquals(ExpressionLineage.time(order))
}
