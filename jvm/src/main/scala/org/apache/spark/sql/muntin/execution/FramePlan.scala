package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.{
  Edge,
  FrameMotion,
  Motion,
  PeerKeys,
  PresentEdge,
  RangeEdge,
  RowsEdge,
  UnboundedEnd,
  UnboundedStart
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.muntin.expressions.{Since, Sliding}
import org.apache.spark.unsafe.types.CalendarInterval

/** One end of a frame as planning has it. Equal ends are the same end of the same frame. */
sealed trait EdgePlan {

  /** The edge as the frame's first row (`lower`), or as the position after its last. */
  def build(frame: FrameBuilder, lower: Boolean): Edge
}

case object Unbounded extends EdgePlan {
  override def build(frame: FrameBuilder, lower: Boolean): Edge =
    if (lower) UnboundedStart else UnboundedEnd
}

/** ROWS: `shift` rows from the current one. */
final case class RowsFrom(shift: Int) extends EdgePlan {
  override def build(frame: FrameBuilder, lower: Boolean): Edge =
    new RowsEdge(if (lower) shift.toLong else shift.toLong + 1)
}

/** RANGE … CURRENT ROW: the first or last peer. */
case object AtPeers extends EdgePlan {
  override def build(frame: FrameBuilder, lower: Boolean): Edge =
    new RangeEdge(new PeerKeys(frame.peers), after = !lower)
}

/** RANGE with an offset. */
final case class RangeFrom(keys: RangeKeys) extends EdgePlan {
  override def build(frame: FrameBuilder, lower: Boolean): Edge =
    new RangeEdge(keys.build(frame), after = !lower)
}

/** The `count`-th row after the current one in which the value is not null. */
final case class PresentFrom(value: Expression, count: Int) extends EdgePlan {
  override def build(frame: FrameBuilder, lower: Boolean): Edge = {
    val column = frame.column(value)
    if (column.isNullable) new PresentEdge(column, count) else new RowsEdge(count.toLong + 1)
  }
}

/** A motion as planning has it: equal plans are one motion, which their functions share. */
trait MotionPlan extends Serializable {

  /** How EXPLAIN shows it. */
  def sql: String

  /** No row ever leaves. */
  def grows: Boolean

  /** Which rows its windows are made of; None for every row of the partition. */
  def where: Option[Expression] = None

  def build(frame: FrameBuilder): Motion
}

/** The motion of a frame, from its ends. */
final case class FramePlan(lower: EdgePlan, upper: EdgePlan)(override val sql: String)
    extends MotionPlan {
  override def grows: Boolean = lower == Unbounded

  override def build(frame: FrameBuilder): Motion =
    new FrameMotion(lower.build(frame, lower = true), upper.build(frame, lower = false))
}

object FramePlan {

  /** The frame in which Spark evaluates the function; None where Muntin has no motion for it. */
  def of(window: WindowExpression, timeZone: String): Option[MotionPlan] =
    window.windowFunction match {
      case AggregateExpression(sliding: Sliding, _, _, _, _) =>
        Some(SlidingPlan(sliding.size, sliding.where, sliding.partial))
      case AggregateExpression(since: Since, _, _, _, _) =>
        Some(SincePlan(since.predicate, since.count))
      case f: FrameLessOffsetWindowFunction => OffsetFrame.of(f).map(_.frame)
      case _: SizeBasedWindowFunction =>
        Some(FramePlan(Unbounded, Unbounded)("whole partition"))
      case _: RowNumberLike | _: RankLike =>
        Some(FramePlan(Unbounded, RowsFrom(0))("running"))
      case _ =>
        window.windowSpec.frameSpecification match {
          case SpecifiedWindowFrame(kind, lower, upper) =>
            val order = window.windowSpec.orderSpec
            for {
              first <- edge(kind, lower, order, timeZone)
              last <- edge(kind, upper, order, timeZone)
            } yield FramePlan(first, last)(
              s"${kind.sql} BETWEEN ${boundSql(lower)} AND ${boundSql(upper)}"
            )
          case _ => None
        }
    }

  // By the bound's sign: the optimizer leaves literals, where the query said n PRECEDING.
  private def boundSql(bound: Expression): String = bound match {
    case special: SpecialFrameBoundary => special.sql
    case offset if offset.foldable =>
      val literal = Literal.create(offset.eval(), offset.dataType)
      if (!isNegative(literal)) s"${literal.sql} FOLLOWING"
      else {
        val size = UnaryMinus(literal, failOnError = false).eval()
        s"${Literal.create(size, offset.dataType).sql} PRECEDING"
      }
    case other => s"${other.sql} FOLLOWING"
  }

  private def isNegative(offset: Literal): Boolean = offset.value match {
    case null => false
    case i: CalendarInterval =>
      val parts = Seq(i.months.toLong, i.days.toLong, i.microseconds)
      parts.exists(_ < 0L) && parts.forall(_ <= 0L)
    case value =>
      val zero = Literal.default(offset.dataType).value
      TypeUtils.getInterpretedOrdering(offset.dataType).lt(value, zero)
  }

  private def edge(
      kind: FrameType,
      bound: Expression,
      order: Seq[SortOrder],
      timeZone: String
  ): Option[EdgePlan] = (kind, bound) match {
    case (_, UnboundedPreceding | UnboundedFollowing) => Some(Unbounded)
    case (RowFrame, CurrentRow) => Some(RowsFrom(0))
    case (RowFrame, IntegerValue(shift)) => Some(RowsFrom(shift))
    case (RangeFrame, CurrentRow) => Some(AtPeers)
    case (RangeFrame, offset)
        if order.size == 1 && offset.foldable && offset.eval() != null &&
          RangeKeys.supports(order.head.dataType, offset.dataType) =>
      Some(RangeFrom(RangeKeys(order.head, offset, timeZone)))
    case _ => None
  }
}

/** The frame of lead and lag, and which row of it they take. */
final case class OffsetFrame(frame: FramePlan, nth: Int, ignoreNulls: Boolean)

object OffsetFrame {
  def of(function: FrameLessOffsetWindowFunction): Option[OffsetFrame] = function.offset match {
    case IntegerValue(0) => Some(atRow(0))
    case IntegerValue(shift) if !function.ignoreNulls => Some(atRow(shift))
    case IntegerValue(shift) if shift > 0 =>
      val frame = FramePlan(RowsFrom(1), PresentFrom(function.input, shift))(
        s"the $shift rows after that are not null"
      )
      Some(OffsetFrame(frame, shift, ignoreNulls = true))
    case IntegerValue(shift) =>
      Some(OffsetFrame(
        FramePlan(Unbounded, RowsFrom(-1))("rows before"),
        shift,
        ignoreNulls = true
      ))
    case _ => None
  }

  private def atRow(shift: Int): OffsetFrame = {
    val sql = if (shift < 0) s"${-shift} rows before" else s"$shift rows after"
    OffsetFrame(FramePlan(RowsFrom(shift), RowsFrom(shift))(sql), 1, ignoreNulls = false)
  }
}
