package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.TypeUtils
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.sql.types.{CalendarIntervalType, DataType}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The offset of a frame's bound, as an expression of the row. Fails if it is null, or if it is
 * negative and the bound is not `isSigned`.
 *
 * @param kind
 *   ROWS, RANGE or GROUPS
 * @param written
 *   the bound as the query writes it
 */
final case class FrameOffset(child: Expression, kind: String, written: String, isSigned: Boolean)
    extends UnaryExpression
    with CodegenFallback {
  override def dataType: DataType = child.dataType

  override def nullable: Boolean = false

  override def prettyName: String = "frame_offset"

  override def sql: String = child.sql

  @transient private lazy val order = TypeUtils.getInterpretedOrdering(child.dataType)

  @transient private lazy val zero = Literal.default(child.dataType).value

  override def eval(row: InternalRow): Any = {
    val value = child.eval(row)
    if (value == null) {
      throw invalid("MUNTIN_NULL_FRAME_OFFSET")
    }
    if (!isSigned && isNegative(value)) {
      throw invalid(
        "MUNTIN_NEGATIVE_FRAME_OFFSET",
        "value" -> Literal.create(value, child.dataType).sql
      )
    }
    value
  }

  private def isNegative(value: Any): Boolean = (child.dataType, value) match {
    case (CalendarIntervalType, i: CalendarInterval) =>
      i.months < 0 || i.days < 0 || i.microseconds < 0L
    case _ => order.lt(value, zero)
  }

  private def invalid(condition: String, parameters: (String, String)*): RuntimeException =
    new MuntinRuntimeException(
      condition,
      Seq("kind" -> kind, "bound" -> written.trim) ++ parameters: _*
    )

  override protected def withNewChildInternal(newChild: Expression): FrameOffset =
    copy(child = newChild)
}
