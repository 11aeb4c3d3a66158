package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.motions.{TickMotion, Ticks}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PreciseTimestampConversion}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.rows.ValueType
import org.apache.spark.sql.muntin.execution.split.{Grid, GroupReach, TickGrid}
import org.apache.spark.sql.muntin.expressions.{TickTime, TickWindow}
import org.apache.spark.sql.muntin.expressions.internal.TickPane
import org.apache.spark.sql.types.{LongType, TimestampType}

/** Plans ticks: a window for each tick of a schedule. */
final case class TickWindowPlan(window: TickWindow) extends GroupWindowPlan {
  import window.{schedule, span, time}

  override def kinds: Seq[FrameKind] = Seq(FrameKind(evicts = span.isDefined))

  override protected def isAccumulated: Boolean = span.isEmpty

  override def isEndless: Boolean = span.isEmpty

  override def build(frame: GroupFrame, track: Int): GroupWindowing = new GroupWindowing {
    private val ticks = schedule.ticks()
    private val times = frame.column(time).asInstanceOf[LongColumn]
    override val motion: TickMotion =
      new TickMotion(times, ticks, span.getOrElse(0), lastTick(ticks, frame.allGroups))
    private val unit = if (window.asDates) MICROS_PER_DAY else 1L
    private val start = ValueType.longWriter(dataType.head.dataType, 0)
    private val end = ValueType.longWriter(dataType.head.dataType, 1)

    override def write(target: InternalRow): Unit = {
      if (span.isEmpty) target.setNullAt(0)
      else start.write(schedule.tickOf(motion.opens) / unit, target)
      end.write(schedule.tickOf(motion.closes) / unit, target)
    }
  }

  /** Returns the last tick of the data set; a stream has ticks until it ends. */
  private def lastTick(ticks: Ticks, all: AllGroups): Long =
    if (all.isStream) Long.MaxValue
    else {
      // Without rows there are no groups.
      all.globalValue.map(_.asInstanceOf[Long]).fold(Long.MinValue) { newest =>
        // A further row may arrive for a tick until a later row has arrived.
        if (window.drains) ticks.atOrAfter(newest) else ticks.before(newest)
      }
    }

  /** The newest row, which bounds the ticks of every group. */
  override def ofAllGroups: Option[AggregateFunction] = Some(Max(time))

  // A window that starts at the first row of its group has no start.
  override def ascending: Seq[Int] = Seq(1)

  override protected def reach: Option[GroupReach] = {
    val field = time match {
      case TickTime(child, _) => child
      case other => other
    }
    (field, span) match {
      case (column: Attribute, Some(ticks)) if Grid.supports(column) =>
        Some(TickGrid(column, schedule, ticks))
      case _ => None
    }
  }

  override def pane: Option[Expression] = Some(TickPane(time, schedule))

  // Ticks cannot distinguish the times in a pane, so any time of a pane suffices, also as the
  // newest time.
  override def overPanes(first: Attribute, last: Attribute): GroupWindowPlan =
    TickWindowPlan(window.copy(time = first))

  override def lastOfPane(time: Expression): Option[Expression] =
    Some(PreciseTimestampConversion(TickPane(time, schedule), LongType, TimestampType))

  override def endsByNewest: Boolean = true

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): TickWindowPlan = copy(newChildren.head.asInstanceOf[TickWindow])
}
