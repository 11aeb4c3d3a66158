package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.execution.frames.{
  FramePlan,
  MotionPlan,
  PlannedFrame,
  PlannedFunction,
  RowsFrom,
  SlidingPlan,
  Unbounded
}
import org.apache.spark.sql.muntin.expressions.common.Unqualified

/**
 * Determines which functions of an OVER clause the state of another OVER clause can continue. The
 * columns of both have the same ids; `derived` are the columns that the state determines.
 *
 *     before                          after
 *     sum(x) ROWS 9 PRECEDING         sum(x) ROWS 9 PRECEDING         continues
 *                                     max(x) ROWS 9 PRECEDING         continues: the rows are there
 *                                     max(x) ROWS 4 PRECEDING         continues: the rows are there
 *                                     max(x) ROWS 20 PRECEDING        restarts
 *                                     max(y) ROWS 9 PRECEDING         restarts, if rows lack y
 *                                     sum(x) ROWS UNBOUNDED PRECEDING restarts
 *                                     rank()                          needs history
 */
private[streaming] final class ChangedFunctions(
    before: OverJob,
    after: OverJob,
    derived: AttributeMap[Expression]
) {
  import ChangeAction._

  private val known = before.plan.functions.map(text).toSet
  private val stored = {
    val columns = AttributeSet(before.keys ++ before.retainedColumns)
    columns ++ AttributeSet(derived.collect {
      case (column, definition) if definition.references.subsetOf(columns) => column
    })
  }

  /** Returns the columns that rows which wait lack. */
  def missingColumns: Seq[Attribute] =
    after.input.filterNot(a => derived.contains(a) || before.input.exists(_.exprId == a.exprId))

  /** Returns true if rows that wait have their order, and all columns that the state needs. */
  def isConvertible: Boolean =
    after.order.flatMap(_.references).forall(a => before.input.exists(_.exprId == a.exprId)) &&
      (!after.plan.isImmediate || before.plan.isImmediate || before.plan.endsWithPeers)

  private val ofFunctions = after.plan.functions.map(f => (f, change(f)))

  /** Returns the ordinals of the functions that continue. */
  def continuing: Set[Int] =
    ofFunctions.collect { case (f, (Continues, _)) => f.ordinal }.toSet

  def changes: Seq[(String, ChangeAction, Option[String])] = {
    val ofAfter = ofFunctions.map { case (f, (action, reason)) => (text(f), action, reason) }
    val names = ofAfter.map(_._1).toSet
    ofAfter ++ before.plan.functions.map(text).filterNot(names)
      .map((_, IsDropped, None))
  }

  private def text(f: PlannedFunction): String = OperatorChange.readable(Unqualified.sql(f.window))

  private def change(f: PlannedFunction): (ChangeAction, Option[String]) = {
    val frame = after.plan.frames.find(_.motion == f.frame).get
    val same = before.plan.frames.find(_.motion == f.frame)
    val missing = f.window.references.filterNot(stored.contains).toSeq
    def lacking = s"rows in the checkpoint lack ${missing.map(a => s"`${a.name}`").mkString(", ")}"
    val ofOtherType =
      f.window.references.filter(derived.get(_).exists(!_.isInstanceOf[Attribute])).toSeq
    val isKnown = known(text(f)) && missing.isEmpty && ofOtherType.isEmpty
    if (isKnown && same.exists(_.saves == frame.saves)) (Continues, None)
    else if (missing.exists(!_.nullable)) (NeedsHistory, Some(s"$lacking, which is not nullable"))
    else if (missing.nonEmpty && !ignoresNulls(f)) (NeedsHistory, Some(lacking))
    else if (countsRows(f)) {
      if (before.keptFor.isEmpty && !ranks(f)) (Continues, None)
      else (NeedsHistory, Some("it numbers rows from the first row on"))
    } else if (missing.nonEmpty) (Restarts, Some(lacking))
    else if (frame.saves && known(text(f))) {
      val columns = ofOtherType.map(a => s"`${a.name}`").mkString(", ")
      (Restarts, Some(s"$columns had another type"))
    } else if (frame.saves) (Restarts, Some("the checkpoint has no such window"))
    else if (!hasRows(frame, same)) {
      (Restarts, Some("the checkpoint may lack rows of its frame"))
    } else if (hasBlocks(frame) && !same.exists(hasBlocks) && !alwaysOverlaps(frame.motion)) {
      (Restarts, Some("the checkpoint does not determine how rows are merged"))
    } else (Continues, None)
  }

  private def hasRows(frame: PlannedFrame, same: Option[PlannedFrame]): Boolean =
    same.exists(!_.saves) || before.plan.frames.exists(b =>
      !b.saves && covers(b.motion, frame.motion)
    )

  private def hasBlocks(frame: PlannedFrame): Boolean =
    frame.functions.exists(_.abilities.exists(_.blocks))

  // Their blocks begin with the partition.
  private def alwaysOverlaps(motion: MotionPlan): Boolean = motion match {
    case FramePlan(RowsFrom(first), RowsFrom(last), None) => last > first
    case _ => false
  }

  /** Returns true if every row in windows of `narrow` is in the rows kept for windows of `wide`. */
  private def covers(wide: MotionPlan, narrow: MotionPlan): Boolean = (wide, narrow) match {
    case (FramePlan(Unbounded, _, _), _) | (_, FramePlan(Unbounded, _, _)) => false
    case (FramePlan(RowsFrom(more), _, _), FramePlan(RowsFrom(fewer), _, _)) => more <= fewer
    case (FramePlan(longer, _, _), FramePlan(shorter, _, _)) =>
      longer.after(least = false).zip(shorter.after(least = true)).exists { case (a, b) => a <= b }
    case (SlidingPlan(more, where, _), SlidingPlan(fewer, same, _)) =>
      where == same && more >= fewer
    case _ => false
  }

  private def ranks(f: PlannedFunction): Boolean = f.window.windowFunction match {
    case _: RowNumber => false
    case _: AggregateWindowFunction => true
    case _ => false
  }

  /** Returns true if results depend on the number of rows before the rows that are kept. */
  private def countsRows(f: PlannedFunction): Boolean = f.frame match {
    case FramePlan(Unbounded, _, _) => f.abilities.exists(_.isStateless)
    case _ => false
  }

  /** Returns true if the result of a row is the same without the rows in which columns are null. */
  private def ignoresNulls(f: PlannedFunction): Boolean = f.window.windowFunction match {
    case call: AggregateExpression if f.frame.isInstanceOf[FramePlan] =>
      call.children.forall(isDirect) && call.aggregateFunction.children.forall(isDirect) &&
      (call.aggregateFunction match {
        case _: Sum | _: Average | _: Min | _: Max | _: Count | _: CentralMomentAgg => true
        case _ => false
      })
    case _ => false
  }

  private def isDirect(e: Expression): Boolean = e match {
    case _: Attribute | _: AggregateFunction => true
    case other => other.foldable
  }
}
