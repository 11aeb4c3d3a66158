package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{GroupBy, JoinOn, Minus}
import org.apache.spark.sql.muntin.streaming.ResultTime

/**
 * What the time of windows is to windows below, on a stream in the order of time. Windows do not
 * come out in the order in which they begin, so the watermark says nothing of that. But the
 * operator below knows the oldest window that is open, and tells the operator above, which goes by
 * that bound in the place of the watermark.
 *
 *     OVER (ORDER BY at)                       goes by the least bound of both sides
 *     +- Union
 *        :- Project [w.start AS at]
 *        :  +- GroupWindows [validity AS w]    tells the begin of its oldest open piece
 *        +- Project [v.start AS at]
 *           +- GroupWindows [validity AS v]    tells its own
 *
 * So does an operator above this one, by whichever time its rows come out.
 */
private[plans] object TimesBelow {

  /**
   * The times of windows by whose bound an operator over `rows` goes, with the time `time` and
   * groups of `keys`; none, where it goes by the watermark.
   */
  def apply(time: Expression, keys: Seq[Expression], rows: LogicalPlan)(
      invalid: String => AnalysisException
  ): Seq[ResultTime] =
    if (MuntinConf.isByArrival(SQLConf.get)) {
      ArrivalTimes(time, keys, rows, of(time, rows).map(_.result))(invalid)
    } else if (!isAsked(rows)) Nil
    else {
      val found = of(time, rows)
      if (!found.exists(_.isTold)) Nil
      else
        found.map(_.result.getOrElse(throw invalid(
          s"${time.sql}, which in a part of the rows is when windows begin, or a time of windows " +
            "over such windows, and in another part is not: there nobody could tell which rows " +
            "are still to come. On each side of a UNION group the rows by windows, and in " +
            "queries of queries go by one time"
        )))
    }

  /** Whether these are windows of a stream that go by the bound of windows below. */
  def isTold(plan: LogicalPlan): Boolean = plan match {
    case windows: GroupWindows => windows.isStreaming && isToldTo(windows)
    case windows: StreamWindows =>
      windows.orderSpec.headOption.exists(o => isTold(o.child, windows.child))
    case _ => false
  }

  /** Whether an operator with this time goes by the bound of windows below. */
  def isTold(time: Expression, rows: LogicalPlan): Boolean =
    isAsked(rows) && of(time, rows).exists(_.isTold)

  private def isAsked(rows: LogicalPlan): Boolean =
    rows.isStreaming && !MuntinConf.isByArrival(SQLConf.get) && rows.exists {
      case windows: GroupWindows => windows.isStreaming && windows.spec.begins.isDefined
      case _ => false
    }

  /**
   * Where the time comes from on a way down the plan.
   *
   * @param result
   *   the time of windows that it is, if it is one in whose order their bound is known
   * @param isTold
   *   whether the watermark does not say what is still to come
   */
  private final case class Found(result: Option[ResultTime], isTold: Boolean)

  private val Other = Seq(Found(None, isTold = false))

  private def of(time: Expression, rows: LogicalPlan): Seq[Found] = (time, rows) match {
    case (PreciseTimestampConversion(same, _, _), _) => of(same, rows)
    case (UnixMicros(same), _) => of(same, rows)
    // Spark's window_time: later windows end above the bound, so it is not below the bound.
    case (Minus(end, Literal(1L, _)), _) => of(end, rows)
    case (_, windows: GroupWindows) => ofGroups(time, windows)
    case (_, windows: StreamWindows) =>
      ofOver(time, windows.orderSpec, windows.results.head.exprId, windows.child)
    case (_, window: Window) =>
      ofOver(time, window.orderSpec, window.windowExpressions.head.exprId, window.child)
    case (_, Project(list, child)) => of(Origin.below(time, list).transformUp(simple), child)
    case (_, union: Union) =>
      union.children.flatMap { child =>
        val columns = AttributeMap(union.output.zip(child.output))
        of(time.transform { case a: Attribute => columns.getOrElse(a, a) }, child)
      }
    case (_, JoinOn(left, right, _, _)) if !right.isStreaming && isOf(time, left) => of(time, left)
    case (_, JoinOn(left, right, _, _)) if !left.isStreaming && isOf(time, right) => of(time, right)
    // Each of these has other rows than its child.
    case (_, GroupBy(_, _, _)) => Other
    case (_, _: Distinct | _: Deduplicate | _: DeduplicateWithinWatermark) => Other
    case (_, _: GlobalLimit | _: EventTimeWatermark) => Other
    case (_, other: UnaryNode) if isOf(time, other.child) => of(time, other.child)
    case _ => Other
  }

  private def isOf(time: Expression, rows: LogicalPlan): Boolean =
    time.references.subsetOf(rows.outputSet)

  private val simple: PartialFunction[Expression, Expression] = {
    case field: GetStructField if field.child.isInstanceOf[CreateNamedStruct] =>
      field.child.asInstanceOf[CreateNamedStruct].valExprs(field.ordinal)
  }

  private def ofGroups(time: Expression, windows: GroupWindows): Seq[Found] = time match {
    case f: GetStructField if f.child.semanticEquals(windows.windowAttribute) =>
      val id = windows.windowAttribute.exprId
      if (windows.spec.begins.contains(f.ordinal)) {
        Seq(Found(Some(ResultTime(id, isBegin = true)), isTold = true))
      } else {
        val result = Option.when(windows.spec.times.contains(f.ordinal))(ResultTime(id, false))
        Seq(Found(result, isToldTo(windows)))
      }
    case _ => Seq(Found(None, isToldTo(windows)))
  }

  private def isToldTo(windows: GroupWindows): Boolean =
    isTold(GroupStreamTime.ordered(windows.window), windows.child)

  /** By a time other than its order, rows come out of OVER nobody knows how late. */
  private def ofOver(
      time: Expression,
      order: Seq[SortOrder],
      id: ExprId,
      child: LogicalPlan
  ): Seq[Found] = {
    val ordered = order.headOption.toSeq.flatMap(o => of(o.child, child))
    val isTold = ordered.exists(_.isTold)
    val isOrder = order.headOption.exists(o => isSame(time, o.child))
    if (isTold || isOrder) {
      val result = Option.when(isOrder && ordered.forall(f => !isTold || f.result.isDefined)) {
        ResultTime(id, isBegin = false)
      }
      Seq(Found(result, isTold))
    } else of(time, child).map(_.copy(result = None))
  }

  private def isSame(time: Expression, order: Expression): Boolean =
    Origin.time(time).semanticEquals(Origin.time(order))
}
