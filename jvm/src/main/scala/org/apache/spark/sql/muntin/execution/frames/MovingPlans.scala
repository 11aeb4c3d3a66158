package org.apache.spark.sql.muntin.execution.frames

import org.apache.spark.sql.muntin.execution.functions.{FrameKind, RowFrameBuilder}
import io.muntin.kernel.motions.{RowMotion, SinceMotion, SlidingMotion}
import org.apache.spark.sql.catalyst.expressions.{Expression, If, Literal}
import org.apache.spark.sql.types.BooleanType

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

/** The motion of since(agg, predicate, count). */
final case class SincePlan(predicate: Expression, count: Int) extends MotionPlan {
  override def sql: String =
    s"since ${predicate.sql}${if (count == 1) "" else s", $count times"}"

  override def kind: FrameKind = FrameKind(evicts = count > 1)

  override def isImmediate: Boolean = true

  override def build(frame: RowFrameBuilder): RowMotion = {
    val closing = If(predicate, Literal(true), Literal(null, BooleanType))
    new SinceMotion(frame.column(closing), count)
  }
}
