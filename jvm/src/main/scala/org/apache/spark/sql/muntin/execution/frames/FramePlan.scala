package org.apache.spark.sql.muntin.execution.frames

import scala.annotation.unused

import org.apache.spark.sql.muntin.execution.functions.{
  FrameKind,
  FunctionPlan,
  IntegerValue,
  RowFrameBuilder,
  ShiftedRow
}
import io.muntin.kernel.columns.PeerKeys
import io.muntin.kernel.motions.{
  Edge,
  FrameMotion,
  PresentEdge,
  RangeEdge,
  RowMotion,
  RowsEdge,
  UnboundedEnd,
  UnboundedStart
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.expressions.{Framed, Session, SessionNumber, Since, Sliding}
import org.apache.spark.sql.muntin.expressions.common.FrameText
import org.apache.spark.sql.muntin.spark.{CalledAggregate, FrameBetween}

/** The plan of one end of a frame. Equal ends are the same end of the same frame. */
trait EdgePlan {

  /** Returns the edge as the frame's first row (`lower`), or as the position after its last. */
  def build(frame: RowFrameBuilder, lower: Boolean): Edge

  /** Returns the end without the row at it. */
  def excluded(@unused lower: Boolean): EdgePlan = this

  /** Returns the position in the rows, from the other side of the frame. */
  def turned(lower: Boolean): EdgePlan = excluded(lower)

  /** Returns where the end is, as far as is known at planning. */
  def place(lower: Boolean): EdgePlace = EdgePlace.Anywhere

  /** As the upper end of a frame: returns true if it is known as soon as the row has arrived. */
  def isImmediate: Boolean = false

  /**
   * As the upper end of a frame: returns true if it is known as soon as the row's peers have
   * arrived.
   */
  def endsWithPeers: Boolean = isImmediate

  /** Returns true if the end of a row's frame may be before the end of the previous row's frame. */
  def isNonMonotonic: Boolean = false

  /**
   * Returns how many microseconds, or units of a number, the end is after the row's time, at least
   * or at most; None if it does not depend on time.
   */
  def after(least: Boolean): Option[Long] = None

  /** As the upper end of a frame: returns `after`, or 0 if the end is at or before the row. */
  def readyAfter(least: Boolean): Option[Long] = after(least)
}

case object Unbounded extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    if (lower) UnboundedStart else UnboundedEnd

  override def place(lower: Boolean): EdgePlace = if (lower) EdgePlace.Start else EdgePlace.End
}

/** ROWS: `shift` rows from the current row. */
final case class RowsFrom(shift: Long) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new RowsEdge(if (lower) shift else shift + 1)

  override def excluded(lower: Boolean): EdgePlan = RowsFrom(if (lower) shift + 1 else shift - 1)

  override def turned(lower: Boolean): EdgePlan = RowsFrom(if (lower) shift - 1 else shift + 1)

  override def isImmediate: Boolean = shift <= 0L

  override def place(lower: Boolean): EdgePlace = EdgePlace.Row(if (lower) shift else shift + 1)

  override def after(least: Boolean): Option[Long] = if (shift == 0L) Some(0L) else None

  override def readyAfter(least: Boolean): Option[Long] = if (shift <= 0L) Some(0L) else None
}

/**
 * RANGE … CURRENT ROW: the first or last peer in an order; with `outside`, the position beyond it.
 * `narrow`: the order distinguishes rows that are peers in the frame.
 */
final case class AtPeers(order: Seq[SortOrder], outside: Boolean = false, narrow: Boolean = false)
    extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val after = lower == outside
    // The first peer has arrived when the row has.
    new RangeEdge(new PeerKeys(frame.peers(order)), after, isImmediate = !after)
  }

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)

  override def isImmediate: Boolean = outside

  override def endsWithPeers: Boolean = true

  override def after(least: Boolean): Option[Long] = Some(0L)

  override def place(lower: Boolean): EdgePlace = (lower == outside, narrow) match {
    case (after, false) => EdgePlace.Group(if (after) 1L else 0L)
    case (true, true) => EdgePlace.AfterArrived
    case _ => EdgePlace.Anywhere
  }
}

/**
 * GROUPS with an offset: the first or last row of the peers that are `shift` groups of peers after
 * the row's own; with `outside`, the position beyond these.
 */
final case class GroupsFrom(order: Seq[SortOrder], shift: Long, outside: Boolean = false)
    extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new RangeEdge(new PeerKeys(frame.peers(order), shift), after = lower == outside, isImmediate)

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)

  override def isImmediate: Boolean = shift < 0L || (outside && shift == 0L)

  override def place(lower: Boolean): EdgePlace =
    EdgePlace.Group(if (lower == outside) shift + 1L else shift)

  override def readyAfter(least: Boolean): Option[Long] = if (isImmediate) Some(0L) else None
}

object GroupsFrom {

  /** Returns the end of a GROUPS frame; None: UNBOUNDED. */
  def apply(order: Seq[SortOrder], shift: Option[Long]): EdgePlan = shift match {
    case None => Unbounded
    case Some(0L) => AtPeers(order)
    case Some(groups) => GroupsFrom(order, groups)
  }
}

/** RANGE with an offset; with `outside`, the position beyond its bound. */
final case class RangeFrom(keys: RangeKeys, outside: Boolean = false) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new RangeEdge(keys.build(frame), after = lower == outside)

  override def after(least: Boolean): Option[Long] = keys.offsetNumber(least)

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)
}

/** The `count`-th row after the current row in which the value is not null. */
final case class PresentFrom(value: Expression, count: Int) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val column = frame.column(value)
    if (column.isNullable) new PresentEdge(column, count) else new RowsEdge(count.toLong + 1)
  }
}

/** The plan of a motion: functions with equal plans share one motion. */
trait MotionPlan extends Serializable {

  /** Returns the motion as EXPLAIN shows it. */
  def sql: String

  /** Returns how rows enter and leave its windows. */
  def kind: FrameKind

  /** Returns the kind in a chunk of a partition whose other rows are in other tasks. */
  def kindWhenSplit: FrameKind = kind

  /** Returns the motion in the form that this function needs. */
  def specializedFor(@unused function: FunctionPlan): MotionPlan = this

  /** Returns true if every row's window is ready as soon as the row has arrived. */
  def isImmediate: Boolean

  /** Returns true if every row's window is ready as soon as the row's peers have arrived. */
  def endsWithPeers: Boolean = isImmediate

  /** Returns true if rows never leave its windows. */
  def isEndless: Boolean = false

  /**
   * Returns true if its windows are ready only when the last row has arrived, which never happens
   * on a stream.
   */
  def isNeverReady: Boolean = false

  /**
   * Returns the least delay, in microseconds, from a row's time until its window is ready without
   * another row; None if only rows make windows ready.
   */
  def readyAfter: Option[Long] = Some(0L)

  /**
   * Returns the greatest such delay: how long it takes until every row of a time has its result.
   */
  def readyBy: Option[Long] = readyAfter

  /**
   * Returns how many microseconds after its time a row can be in windows, at most; None if rows
   * move the windows.
   */
  def keptFor: Option[Long] = None

  /** Returns the condition for rows in its windows; None if every row of the partition is. */
  def where: Option[Expression] = None

  def build(frame: RowFrameBuilder): RowMotion
}

/** The motion of a frame with two ends, with or without holes between them. */
trait EdgedPlan extends MotionPlan {
  def lower: EdgePlan
  def upper: EdgePlan
  def complete: Option[CompleteFramesPlan]

  final override def isEndless: Boolean = lower == Unbounded

  final override def isNeverReady: Boolean = upper == Unbounded

  final override def isImmediate: Boolean = upper.isImmediate && looksBack

  final override def endsWithPeers: Boolean = upper.endsWithPeers && looksBack

  private def looksBack: Boolean = complete.forall(i => (i.first ++ i.last).forall(_ <= 0L))

  final override def readyAfter: Option[Long] = ready(least = true)

  final override def readyBy: Option[Long] = ready(least = false)

  // Only rows show whether a row at the end of the frame is missing.
  private def ready(least: Boolean): Option[Long] =
    upper.readyAfter(least).filterNot(_ => complete.exists(_.last.exists(_ > 0L)))

  final override def keptFor: Option[Long] = lower.after(least = false).map(-_)
}

/**
 * The motion of a frame, from its ends; `complete`: only frames without missing rows have a result.
 */
final case class FramePlan(
    lower: EdgePlan,
    upper: EdgePlan,
    complete: Option[CompleteFramesPlan] = None
)(
    override val sql: String
) extends EdgedPlan {
  override def kind: FrameKind = FrameKind(evicts = lower != Unbounded)

  override def kindWhenSplit: FrameKind =
    kind.copy(isFollowed = upper == Unbounded && lower != Unbounded)

  override def build(frame: RowFrameBuilder): RowMotion = new FrameMotion(
    lower.build(frame, lower = true),
    upper.build(frame, lower = false),
    CompleteFramesPlan.build(complete)
  )
}

object FramePlan {

  /**
   * Returns the frame in which Spark evaluates the function; None if Muntin has no motion for it.
   */
  def of(window: WindowExpression): Option[MotionPlan] =
    window.windowFunction match {
      case CalledAggregate(sliding: Sliding) =>
        Some(SlidingPlan(sliding.size, sliding.where, sliding.partial))
      case CalledAggregate(since: Since) =>
        Some(SincePlan(since.predicate, since.count, since.opens))
      case CalledAggregate(session: Session) =>
        Some(SessionPlan(window.windowSpec.orderSpec.head, session.gap, isNumbered = false))
      case number: SessionNumber =>
        Some(SessionPlan(window.windowSpec.orderSpec.head, number.gap, isNumbered = true))
      case CalledAggregate(framed: Framed) =>
        FramedPlans.of(framed, window.windowSpec, SQLConf.get.sessionLocalTimeZone)
      case f: FrameLessOffsetWindowFunction => ShiftedRow.of(f).map(ofShifted(_, f.input))
      case _: SizeBasedWindowFunction =>
        Some(FramePlan(Unbounded, Unbounded)("whole partition"))
      case _: RowNumberLike | _: RankLike =>
        Some(FramePlan(Unbounded, RowsFrom(0))("running"))
      case _ =>
        standard(window.windowSpec, SQLConf.get.sessionLocalTimeZone)
    }

  /** Returns the frame of an OVER clause. */
  def standard(spec: WindowSpecDefinition, timeZone: String): Option[FramePlan] =
    spec.frameSpecification match {
      case FrameBetween(kind, lower, upper) =>
        for {
          first <- edge(kind, lower, spec.orderSpec, timeZone)
          last <- edge(kind, upper, spec.orderSpec, timeZone)
        } yield FramePlan(first, last)(FrameText(kind, lower, upper))
      case _ => None
    }

  private def edge(
      kind: FrameType,
      bound: Expression,
      order: Seq[SortOrder],
      timeZone: String
  ): Option[EdgePlan] = (kind, bound) match {
    case (_, UnboundedPreceding | UnboundedFollowing) => Some(Unbounded)
    case (RowFrame, CurrentRow) => Some(RowsFrom(0))
    case (RowFrame, IntegerValue(shift)) => Some(RowsFrom(shift.toLong))
    case (RangeFrame, CurrentRow) => Some(AtPeers(order))
    case (RangeFrame, offset)
        if order.size == 1 && offset.foldable && offset.eval() != null &&
          RangeKeys.supports(order.head.dataType, offset.dataType) =>
      Some(RangeFrom(RangeKeys(order.head, offset, timeZone)))
    case _ => None
  }

  /** Returns the frame of lead and lag over `input`. */
  private def ofShifted(row: ShiftedRow, input: Expression): FramePlan = row match {
    case ShiftedRow(shift, true) if shift > 0 =>
      FramePlan(RowsFrom(1), PresentFrom(input, shift))(
        s"the $shift rows after that are not null"
      )
    case ShiftedRow(_, true) => FramePlan(Unbounded, RowsFrom(-1))("rows before")
    case ShiftedRow(shift, false) =>
      val sql = if (shift < 0) s"${-shift} rows before" else s"$shift rows after"
      FramePlan(RowsFrom(shift.toLong), RowsFrom(shift.toLong))(sql)
  }
}
