package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.DataType

/** A time that must not be null: a row with a null time would be in no window and be lost. */
final case class TickTime(child: Expression, shown: String) extends UnaryExpression {
  override def dataType: DataType = child.dataType

  override def nullable: Boolean = false

  override def prettyName: String = "tick_time"

  override def eval(row: InternalRow): Any = {
    val time = child.eval(row)
    if (time == null) throw missing()
    time
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val time = child.genCode(ctx)
    val reference = ctx.addReferenceObj("tickTime", this)
    val code = code"""
      ${time.code}
      if (${time.isNull}) throw $reference.missing();
    """
    ExprCode(code, FalseLiteral, time.value)
  }

  def missing(): RuntimeException = new MuntinRuntimeException(
    "MUNTIN_NULL_TICK_TIME",
    "function" -> TickWindow.name,
    "time" -> shown
  )

  override protected def withNewChildInternal(newChild: Expression): TickTime =
    copy(child = newChild)
}
