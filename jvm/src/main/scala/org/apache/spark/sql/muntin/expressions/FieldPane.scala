package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{ExpectsInputTypes, Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{AbstractDataType, DataType, LongType}

/**
 * The number of the pane that a value is in: between two starts of windows, `advance` apart, there is at most
 * one end, `rest` behind the first of them.
 */
final case class FieldPane(child: Expression, advance: Long, offset: Long, rest: Long)
    extends UnaryExpression
    with ExpectsInputTypes {
  override def inputTypes: Seq[AbstractDataType] = Seq(LongType)

  override def dataType: DataType = LongType

  override def nullIntolerant: Boolean = true

  override def prettyName: String = "field_pane"

  override protected def nullSafeEval(value: Any): Any =
    FieldPane.number(value.asInstanceOf[Long], advance, offset, rest)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(
      ctx,
      ev,
      value =>
        s"${FieldPane.getClass.getName.stripSuffix("$")}.number($value, ${advance}L, ${offset}L, ${rest}L)"
    )

  override protected def withNewChildInternal(newChild: Expression): FieldPane =
    copy(child = newChild)
}

object FieldPane {

  /** Wraps around at the ends of long, where panes of any other number still are other panes. */
  def number(value: Long, advance: Long, offset: Long, rest: Long): Long = {
    val shift = Math.floorMod(offset, advance)
    val k = Math.floorDiv(value, advance)
    val r = value - k * advance - shift
    val (start, within) = if (r >= 0L) (k, r) else (k - 1, r + advance)
    2L * start + (if (within >= rest) 1L else 0L)
  }
}
