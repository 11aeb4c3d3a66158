package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.{FrameKind, FunctionPlan, RowFrameBuilder}
import io.muntin.kernel.columns.{
  ComputedBounds,
  DoubleColumn,
  Keys,
  LongColumn,
  OffsetDoubles,
  OffsetLongs,
  OffsetPeers
}
import io.muntin.kernel.motions.{
  Edge,
  NonMonotonicKeys,
  NonMonotonicMotion,
  NonMonotonicRows,
  RowMotion
}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.muntin.expressions.common.{BoundSide, RowBounds}
import org.apache.spark.sql.muntin.spark.TimestampPlus
import org.apache.spark.sql.types._

/** The ends of a frame whose distance is an expression of the row. */
sealed trait NonMonotonicEdge extends EdgePlan {
  def side: BoundSide
  def outside: Boolean

  final override def isNonMonotonic: Boolean = true
}

object NonMonotonicEdge {

  /** Returns the two ends. */
  def of(bounds: RowBounds, order: Seq[SortOrder], timeZone: String): (EdgePlan, EdgePlan) = (
    one(bounds, bounds.lowerSide, bounds.lower, order, timeZone),
    one(bounds, bounds.upperSide, bounds.upper, order, timeZone)
  )

  private def one(
      bounds: RowBounds,
      side: BoundSide,
      offset: Expression,
      order: Seq[SortOrder],
      timeZone: String
  ): EdgePlan = (side, bounds.kind) match {
    case (BoundSide.Unbounded, _) => Unbounded
    case (BoundSide.CurrentRow, "ROWS") => RowsFrom(0L)
    case (BoundSide.CurrentRow, _) => AtPeers(order)
    case (_, "ROWS") => RowsByRow(side, offset)
    case (_, "GROUPS") => GroupsByRow(side, offset, order)
    case _ => RangeByRow(side, offset, order.head, timeZone)
  }
}

final case class RowsByRow(side: BoundSide, offset: Expression, outside: Boolean = false)
    extends NonMonotonicEdge {
  override def isImmediate: Boolean = side == BoundSide.Preceding

  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val beyond = (lower, outside) match {
      case (true, false) | (false, true) => 0L
      case _ => 1L
    }
    val offsets = frame.currentColumn(offset).asInstanceOf[LongColumn]
    new NonMonotonicRows(offsets, side.sign, beyond, isImmediate)
  }

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)
}

final case class GroupsByRow(
    side: BoundSide,
    offset: Expression,
    order: Seq[SortOrder],
    outside: Boolean = false
) extends NonMonotonicEdge {
  override def build(frame: RowFrameBuilder, lower: Boolean): Edge = {
    val offsets = frame.currentColumn(offset).asInstanceOf[LongColumn]
    new NonMonotonicKeys(new OffsetPeers(frame.peers(order), offsets, side.sign), lower == outside)
  }

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)
}

/**
 * If key and offset are whole numbers or doubles, the kernel adds them, and a sum that does not fit
 * is beyond all keys. Spark's own expressions compute all other sums.
 */
final case class RangeByRow(
    side: BoundSide,
    offset: Expression,
    order: SortOrder,
    timeZone: String,
    outside: Boolean = false
) extends NonMonotonicEdge {
  private def key = order.child
  private def descending = order.direction == Descending
  private def nullsFirst = order.nullOrdering == NullsFirst
  private def sign = if (descending) -side.sign else side.sign

  override def build(frame: RowFrameBuilder, lower: Boolean): Edge =
    new NonMonotonicKeys(keys(frame), lower == outside)

  override def excluded(lower: Boolean): EdgePlan = copy(outside = !outside)

  private def keys(frame: RowFrameBuilder): Keys = {
    def longs(offset: Expression): Keys = new OffsetLongs(
      frame.column(key).asInstanceOf[LongColumn],
      descending,
      nullsFirst,
      frame.currentColumn(offset).asInstanceOf[LongColumn],
      sign
    )
    def computed(key: Expression, bound: Expression): Keys = new ComputedBounds(
      frame.column(key),
      descending,
      nullsFirst,
      frame.currentColumn(bound),
      sign
    )
    (key.dataType, offset.dataType) match {
      case (_: IntegralType | DateType, _: IntegralType) => longs(to(offset, LongType))
      case (d: DecimalType, other: DecimalType)
          if d == other && d.precision <= Decimal.MAX_LONG_DIGITS =>
        longs(offset)
      case (_: IntegralType | _: DecimalType, _: IntegralType | _: DecimalType) =>
        val wide = DecimalType(DecimalType.MAX_PRECISION, math.max(scale(key), scale(offset)))
        val start = to(key, wide)
        computed(start, DecimalAddNoOverflowCheck(start, signed(to(offset, wide)), wide))
      case (_: NumericType, _: NumericType) =>
        new OffsetDoubles(
          frame.column(to(key, DoubleType)).asInstanceOf[DoubleColumn],
          descending,
          nullsFirst,
          frame.currentColumn(to(offset, DoubleType)).asInstanceOf[DoubleColumn],
          sign
        )
      case (_: AnsiIntervalType, _) | (TimestampNTZType, _: DayTimeIntervalType) =>
        longs(offset)
      case (TimestampType, _: DayTimeIntervalType)
          if DateTimeUtils.getZoneId(timeZone).getRules.isFixedOffset =>
        longs(offset)
      case (DateType, _) =>
        val start = to(key, TimestampNTZType)
        computed(start, plus(start))
      case _ => computed(key, plus(key))
    }
  }

  private def plus(start: Expression): Expression = offset.dataType match {
    case _: YearMonthIntervalType =>
      TimestampAddYMInterval(start, signed(offset), Some(timeZone))
    case _ => TimestampPlus(start, signed(offset), timeZone)
  }

  private def signed(offset: Expression): Expression =
    if (sign < 0) UnaryMinus(offset) else offset

  private def to(expression: Expression, dataType: DataType): Expression =
    if (expression.dataType == dataType) expression
    else Cast(expression, dataType, Some(timeZone))

  private def scale(expression: Expression): Int = expression.dataType match {
    case d: DecimalType => d.scale
    case _ => 0
  }
}

/**
 * The motion of a frame with an end that moves back and forth; `isFree`: its functions evaluate
 * each window from the start.
 */
final case class NonMonotonicPlan(
    lower: EdgePlan,
    upper: EdgePlan,
    holes: Seq[Hole],
    isFree: Boolean = false
)(override val sql: String)
    extends MotionPlan {
  override def kind: FrameKind = if (holes.isEmpty) FrameKind.NonMonotonic else FrameKind.Pieced

  // Non-monotonic functions, and functions that need chains, are in two frames.
  override def specializedFor(function: FunctionPlan): MotionPlan =
    if (holes.isEmpty && function.isNonMonotonic) copy(isFree = true)(sql) else this

  override def isImmediate: Boolean = upper.isImmediate

  override def endsWithPeers: Boolean = upper.endsWithPeers

  // Only a later row determines how far back its frame reaches.
  override def isEndless: Boolean = true

  override def isNeverReady: Boolean = upper == Unbounded

  override def build(frame: RowFrameBuilder): RowMotion = {
    def edges() = holes.flatMap { hole =>
      Seq(hole.first.build(frame, lower = true), hole.last.build(frame, lower = false))
    }.toArray
    new NonMonotonicMotion(
      lower.build(frame, lower = true),
      upper.build(frame, lower = false),
      isStartNonMonotonic = lower.isNonMonotonic,
      isFree,
      if (holes.isEmpty) None else Some(() => edges())
    )
  }
}
