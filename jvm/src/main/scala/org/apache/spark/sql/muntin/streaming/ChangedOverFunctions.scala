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
 * Determines which functions of an OVER clause the state of another OVER clause can continue.
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
private[streaming] final class ChangedOverFunctions(
    before: OverJob,
    after: OverJob,
    derived: AttributeMap[Expression]
) extends ChangedFunctions(before, after, derived) {
  import ChangedFunctions._

  override protected def former: Seq[(String, Int)] =
    before.plan.functions.map(f => text(f) -> f.ordinal)

  override protected def changed: Seq[(String, Int, Change)] =
    after.plan.functions.map(f => (text(f), f.ordinal, change(f)))

  override def isConvertible: Boolean = super.isConvertible &&
    (!after.plan.isImmediate || before.plan.isImmediate || before.plan.endsWithPeers)

  private def text(f: PlannedFunction): String = OperatorChange.readable(Unqualified.sql(f.window))

  private def change(f: PlannedFunction): Change = {
    val frame = after.plan.frames.find(_.motion == f.frame).get
    val same = before.plan.frames.find(_.motion == f.frame)
    val lacks = missing(f.window.references)
    val others = ofOtherType(f.window.references)
    val isSame = isKnown(text(f)) && lacks.isEmpty && others.isEmpty
    if (isSame && same.exists(_.saves == frame.saves)) Same
    else if (lacks.nonEmpty) lacking(lacks, isWithoutNulls(f))
    else if (countsRows(f)) {
      if (before.keptFor.isEmpty && !ranks(f)) Same
      else needsHistory("it numbers rows from the first row on")
    } else if (frame.saves && isKnown(text(f))) Stateless(hadOtherType(others))
    else if (frame.saves) Stateless("the checkpoint has no such window")
    else if (!hasRows(frame, same)) restarts("the checkpoint may lack rows of its frame")
    else if (hasBlocks(frame) && !same.exists(hasBlocks) && !alwaysOverlaps(frame.motion)) {
      restarts("the checkpoint does not determine how rows are merged")
    } else Same
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

  private def isWithoutNulls(f: PlannedFunction): Boolean = f.window.windowFunction match {
    case call: AggregateExpression if f.frame.isInstanceOf[FramePlan] =>
      ignoresNulls(call.aggregateFunction, call.filter)
    case _ => false
  }
}
