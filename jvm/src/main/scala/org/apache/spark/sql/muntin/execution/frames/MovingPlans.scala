package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.{FrameKind, RowFrameBuilder}
import io.muntin.kernel.columns.{DoubleColumn, LongColumn}
import io.muntin.kernel.motions.{
  DoubleSessionTimes,
  LongSessionTimes,
  RowMotion,
  SessionMotion,
  SinceMotion,
  SlidingMotion
}
import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, If, Literal, SortOrder}
import org.apache.spark.sql.muntin.expressions.common.SessionGap
import org.apache.spark.sql.types._

/** The motion of sliding(agg, size, where). */
final case class SlidingPlan(
    size: Int,
    override val where: Option[Expression],
    partial: Boolean
) extends MotionPlan {
  override def sql: String =
    s"last $size rows${where.fold("")(w => s" where ${w.sql}")}${if (partial) ", or fewer" else ""}"

  override def kind: FrameKind = FrameKind.Sliding

  override def isImmediate: Boolean = true

  override def build(frame: RowFrameBuilder): RowMotion =
    new SlidingMotion(frame.counted.orNull, size.toLong, partial)
}

/** The motion of since(agg, predicate, count); `opens`: closed => 'left'. */
final case class SincePlan(predicate: Expression, count: Int, opens: Boolean) extends MotionPlan {
  override def sql: String =
    s"since ${predicate.sql}${if (count == 1) "" else s", $count times"}" +
      (if (opens) ", that row included" else "")

  override def kind: FrameKind = FrameKind(evicts = count > 1)

  override def isImmediate: Boolean = true

  override def build(frame: RowFrameBuilder): RowMotion = {
    val dividing = If(predicate, Literal(true), Literal(null, BooleanType))
    new SinceMotion(frame.column(dividing), count, opens)
  }
}

/** The motion of session(agg, gap) and of session_number(gap), along `order`. */
final case class SessionPlan(order: SortOrder, gap: SessionGap, isNumbered: Boolean)
    extends MotionPlan {
  private val time = gap.timeOf(order.child)

  override def sql: String =
    s"session, gaps of ${gap.sql(time.dataType)}${if (isNumbered) ", numbered" else ""}"

  override def kind: FrameKind = FrameKind(evicts = false)

  override def isImmediate: Boolean = true

  override def keptFor: Option[Long] = time.dataType match {
    case TimestampType | TimestampNTZType | _: IntegralType | _: DecimalType if !isNumbered =>
      Some(gap.units(time.dataType))
    case _ => None
  }

  override def build(frame: RowFrameBuilder): RowMotion = {
    val descending = order.direction == Descending
    val times = frame.column(time) match {
      case longs: LongColumn =>
        new LongSessionTimes(longs, longs, gap.units(time.dataType), descending, Long.MinValue)
      case doubles: DoubleColumn =>
        val length = gap.length.toDouble
        new DoubleSessionTimes(doubles, doubles, length, descending, Double.NegativeInfinity)
      case other => throw new IllegalStateException(s"no times: $other")
    }
    new SessionMotion(times, isNumbered)
  }
}
