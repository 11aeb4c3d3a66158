package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.{FieldMotion, GroupMotion, LongColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.muntin.expressions.FieldWindow

/** The motion of field_window. */
final case class FieldPlan(window: FieldWindow) extends GroupPlan {
  override def sql: String = window.sql

  override def build(frame: GroupFrame): GroupWindowing = new GroupWindowing {
    private val field = new FieldMotion(
      frame.column(window.field).asInstanceOf[LongColumn],
      frame.column(window.reach.getOrElse(window.field)).asInstanceOf[LongColumn],
      window.size,
      window.advance,
      window.offset,
      window.all
    )
    private val opening = ValueType.longWriter(window.field.dataType, 0)
    private val closing = ValueType.longWriter(window.field.dataType, 1)

    override def motion: GroupMotion = field

    override def write(target: InternalRow): Unit = {
      opening.write(field.opening, target)
      closing.write(field.closing, target)
    }
  }
}
