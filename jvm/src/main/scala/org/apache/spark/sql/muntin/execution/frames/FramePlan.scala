package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.{
  FrameKind,
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
import org.apache.spark.sql.muntin.expressions.{FrameText, Framed, Since, Sliding}
import org.apache.spark.sql.muntin.spark.{FrameBetween, FunctionOf}

/** One end of a frame as planning has it. Equal ends are the same end of the same frame. */
sealed trait EdgePlan {

  /** The edge as the frame's first row (`lower`), or as the position after its last. */
  def build(frame: RowFrameBuilder, lower: Boolean): Edge

  /** The same end, which does not belong to the frame. */
  def excluded(lower: Boolean): EdgePlan = this

  /** The same position in the rows, from the other side of the frame. */
  def turned(lower: Boolean): EdgePlan = excluded(lower)

  /** Where it lies, as far as that is known beforehand. */
  def place(lower: Boolean): Place = Place.Anywhere

  /** As a frame's end: whether it is found as soon as the row is there. */
  def isImmediate: Boolean = false

  /**
   * How many microseconds after the row's time it lies, at the least or at the most; None where
   * that does not depend on time.
   */
  def after(least: Boolean): Option[Long] = None

  /** The same, or 0 where it lies among rows that are there before: as the end of a frame. */
  def toldAfter(least: Boolean): Option[Long] = after(least)
}

case object Unbounded extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    if (lower) UnboundedStart else UnboundedEnd

  override def place(lower: Boolean): Place = if (lower) Place.Start else Place.End
}

/** ROWS: `shift` rows from the current one. */
final case class RowsFrom(shift: Long) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new RowsEdge(if (lower) shift else shift + 1)

  override def excluded(lower: Boolean): EdgePlan = RowsFrom(if (lower) shift + 1 else shift - 1)

  override def turned(lower: Boolean): EdgePlan = RowsFrom(if (lower) shift - 1 else shift + 1)

  override def isImmediate: Boolean = shift <= 0L

  override def place(lower: Boolean): Place = Place.Row(if (lower) shift else shift + 1)

  override def after(least: Boolean): Option[Long] = if (shift == 0L) Some(0L) else None

  override def toldAfter(least: Boolean): Option[Long] = if (shift <= 0L) Some(0L) else None
}

/**
 * RANGE … CURRENT ROW: the first or last peer under an order; `outside`, the position beyond it.
 * `narrow` is an order that tells peers of the frame apart.
 */
final case class AtPeers(order: Seq[SortOrder], outside: Boolean = false, narrow: Boolean = false)
    extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val after = lower == outside
    // The first peer is there when the row itself is.
    new RangeEdge(new PeerKeys(frame.peers(order)), after, isImmediate = !after)
  }

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)

  override def isImmediate: Boolean = outside

  override def after(least: Boolean): Option[Long] = Some(0L)

  override def place(lower: Boolean): Place = (lower == outside, narrow) match {
    case (false, false) => Place.FirstPeer
    case (true, false) => Place.AfterPeers
    case (true, true) => Place.AfterArrived
    case _ => Place.Anywhere
  }
}

/** RANGE with an offset; `outside`, the position beyond its bound. */
final case class RangeFrom(keys: RangeKeys, outside: Boolean = false) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new RangeEdge(keys.build(frame), after = lower == outside)

  override def after(least: Boolean): Option[Long] = keys.offsetMicros(least)

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)
}

/** The `count`-th row after the current one in which the value is not null. */
final case class PresentFrom(value: Expression, count: Int) extends EdgePlan {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val column = frame.column(value)
    if (column.isNullable) new PresentEdge(column, count) else new RowsEdge(count.toLong + 1)
  }
}

/** A motion as planning has it: equal plans are one motion, which their functions share. */
trait MotionPlan extends Serializable {

  /** How EXPLAIN shows it. */
  def sql: String

  /** How rows come to its windows and leave them. */
  def kind: FrameKind

  /** The same in a part of a partition, whose other rows are in other tasks. */
  def kindInPart: FrameKind = kind

  /** Every row's window can be told as soon as the row is there. */
  def isImmediate: Boolean

  /** Rows stay in its windows for ever, whatever comes. */
  def isEndless: Boolean = false

  /** A window waits for the last row of all. */
  def isNeverTold: Boolean = false

  /**
   * How many microseconds after its row's time a window can be told without another row, at the
   * earliest; None where only rows let it be told.
   */
  def toldAfter: Option[Long] = Some(0L)

  /** The same at the latest: when every row of that time has been answered. */
  def toldBy: Option[Long] = toldAfter

  /**
   * How many microseconds after its time a row can be in windows, at most; None where rows move
   * them.
   */
  def keptFor: Option[Long] = None

  /** Which rows its windows are made of; None for every row of the partition. */
  def where: Option[Expression] = None

  def build(frame: RowFrameBuilder): RowMotion
}

/** The motion of a frame that has two ends, whatever is missing between them. */
trait EdgedPlan extends MotionPlan {
  def lower: EdgePlan
  def upper: EdgePlan
  def complete: Option[InsidePlan]

  final override def isEndless: Boolean = lower == Unbounded

  final override def isNeverTold: Boolean = upper == Unbounded

  final override def isImmediate: Boolean =
    upper.isImmediate && complete.forall(i => (i.first ++ i.last).forall(_ <= 0L))

  final override def toldAfter: Option[Long] = told(least = true)

  final override def toldBy: Option[Long] = told(least = false)

  // Whether a row is missing at the end of the frame only rows tell.
  private def told(least: Boolean): Option[Long] =
    upper.toldAfter(least).filterNot(_ => complete.exists(_.last.exists(_ > 0L)))

  final override def keptFor: Option[Long] = lower.after(least = false).map(-_)
}

/** The motion of a frame, from its ends; `complete`, of frames of which no row is missing. */
final case class FramePlan(lower: EdgePlan, upper: EdgePlan, complete: Option[InsidePlan] = None)(
    override val sql: String
) extends EdgedPlan {
  override def kind: FrameKind = FrameKind(evicts = lower != Unbounded)

  override def kindInPart: FrameKind =
    kind.copy(isFollowed = upper == Unbounded && lower != Unbounded)

  override def build(frame: RowFrameBuilder): RowMotion = new FrameMotion(
    lower.build(frame, lower = true),
    upper.build(frame, lower = false),
    InsidePlan.build(complete)
  )
}

object FramePlan {

  /** The frame in which Spark evaluates the function; None where Muntin has no motion for it. */
  def of(window: WindowExpression, timeZone: String): Option[MotionPlan] =
    window.windowFunction match {
      case FunctionOf(sliding: Sliding) =>
        Some(SlidingPlan(sliding.size, sliding.where, sliding.partial))
      case FunctionOf(since: Since) =>
        Some(SincePlan(since.predicate, since.count))
      case FunctionOf(framed: Framed) =>
        FramedPlans.of(framed, window.windowSpec, timeZone)
      case f: FrameLessOffsetWindowFunction => ShiftedRow.of(f).map(ofShifted(_, f.input))
      case _: SizeBasedWindowFunction =>
        Some(FramePlan(Unbounded, Unbounded)("whole partition"))
      case _: RowNumberLike | _: RankLike =>
        Some(FramePlan(Unbounded, RowsFrom(0))("running"))
      case _ =>
        standard(window.windowSpec, timeZone)
    }

  /** The frame of an OVER clause. */
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

  /** The frame of lead and lag over `input`. */
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
