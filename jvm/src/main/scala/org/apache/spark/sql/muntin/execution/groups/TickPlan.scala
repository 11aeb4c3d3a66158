package org.apache.spark.sql.muntin.execution.groups

import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.motions.{GroupMotion, TickMotion}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.expressions.TickWindow

/** The motion of ticks; `last` is the last tick of the data set. */
final case class TickPlan(window: TickWindow, last: Long) extends GroupPlan {
  override def sql: String = window.sql

  override def kinds: Seq[FrameKind] = Seq(FrameKind(evicts = window.span.isDefined))

  override def isEndless: Boolean = window.span.isEmpty

  override def build(frame: GroupFrame): GroupWindowing = new GroupWindowing {
    private val ticks = new TickMotion(
      frame.column(window.time).asInstanceOf[LongColumn],
      window.schedule.ticks(),
      window.span.getOrElse(0),
      last
    )
    private val unit = if (window.asDates) MICROS_PER_DAY else 1L
    private val start = ValueType.longWriter(window.dataType.head.dataType, 0)
    private val end = ValueType.longWriter(window.dataType.head.dataType, 1)

    override def motion: GroupMotion = ticks

    override def write(target: InternalRow): Unit = {
      if (window.span.isEmpty) target.setNullAt(0)
      else start.write(window.schedule.tickOf(ticks.opens) / unit, target)
      end.write(window.schedule.tickOf(ticks.closes) / unit, target)
    }
  }
}
