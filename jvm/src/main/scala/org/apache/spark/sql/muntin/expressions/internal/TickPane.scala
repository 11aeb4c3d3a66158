package org.apache.spark.sql.muntin.expressions.internal

import io.muntin.kernel.motions.Ticks
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.muntin.expressions.common.Schedule
import org.apache.spark.sql.muntin.spark.NullPropagating
import org.apache.spark.sql.types.{DataType, LongType}

/** The first tick at or after a time: times with the same tick are in the same windows. */
final case class TickPane(child: Expression, schedule: Schedule)
    extends UnaryExpression
    with NullPropagating {
  override def dataType: DataType = LongType

  override def prettyName: String = "tick_pane"

  override def toString: String = s"$prettyName($child)"

  @transient private lazy val ticks = schedule.ticks()

  override protected def nullSafeEval(time: Any): Any = ticks.atOrAfter(time.asInstanceOf[Long])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val reference = ctx.addReferenceObj("schedule", schedule)
    val ticks =
      ctx.addMutableState(classOf[Ticks].getName, "ticks", v => s"$v = $reference.ticks();")
    defineCodeGen(ctx, ev, time => s"$ticks.atOrAfter($time)")
  }

  override protected def withNewChildInternal(newChild: Expression): TickPane =
    copy(child = newChild)
}
