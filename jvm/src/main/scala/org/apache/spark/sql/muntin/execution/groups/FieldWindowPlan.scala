package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.fields.{DoubleAxis, OrderedDouble}
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.motions.FieldMotion
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PreciseTimestampConversion}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.execution.functions.FrameKind
import org.apache.spark.sql.muntin.execution.split.{FieldGrid, Grid, GroupReach}
import org.apache.spark.sql.muntin.expressions.FieldWindow
import org.apache.spark.sql.muntin.expressions.common.CalendarUnitLast
import org.apache.spark.sql.muntin.expressions.internal.{FieldPane, FieldPaneLast, WideFieldPane}
import org.apache.spark.sql.muntin.spark.MuntinAnalysisException
import org.apache.spark.sql.types.{Decimal, DecimalType, DoubleType, LongType, TimestampType}

/** Plans field_window, tumble and hop: windows along the values of a field. */
final case class FieldWindowPlan(
    window: FieldWindow,
    override val panes: Option[PaneBounds] = None
) extends GroupWindowPlan {
  import window.{calendar, field, kind, steps, unscaled}

  @transient private lazy val scaled = window.scaled

  /** Returns the greatest value of the field in a pane, or in a row. */
  def last: Expression = panes.fold(field)(_.last)

  /** Returns the field in the query's terms. */
  def shown: String = panes.fold(window.shown)(_.shown)

  override def kinds: Seq[FrameKind] = window.tracks.map(t => FrameKind(FieldMotion.evicts(t)))

  override protected def isAccumulated: Boolean = !window.tracks.exists(_.overlaps)

  override def build(frame: GroupFrame, track: Int): GroupWindowing =
    FieldWindowing(this, frame, track)

  override def isEndless: Boolean = steps.size.isEmpty

  override def ofAllGroups: Option[AggregateFunction] =
    Option.when(!window.drains || steps.every.isDefined)(Max(last))

  override def ascending: Seq[Int] =
    if (steps.size.isDefined && steps.every.isEmpty) Seq(0, 1) else Nil

  // Not over panes, which are few; nor with several tracks, which emit results in another order
  // than the openings.
  override protected def reach: Option[GroupReach] = field match {
    case column: Attribute if Grid.supports(column) && panes.isEmpty && window.tracks.size == 1 =>
      for {
        size <- scaled.size
        advance <- scaled.advance
      } yield FieldGrid(column, size, advance, Math.floorMod(scaled.offset, advance), calendar)
    case _ => None
  }

  override def pane: Option[Expression] =
    for {
      whole <- Option.when(field.dataType != DoubleType)(unscaled)
      size <- whole.size
      advance <- whole.advance
      cuts <- FieldPane.cuts(size, advance, whole.every)
    } yield {
      val shift = whole.offset.mod(advance)
      field.dataType match {
        case d: DecimalType if d.precision > Decimal.MAX_LONG_DIGITS =>
          WideFieldPane(field, shown, advance, shift, cuts, kind)
        case _ =>
          val bounds = cuts.map(_.longValueExact)
          FieldPane(
            window.counted(field),
            shown,
            advance.longValueExact,
            shift.longValueExact,
            bounds,
            kind
          )
      }
    }

  override def overPanes(first: Attribute, last: Attribute): GroupWindowPlan =
    FieldWindowPlan(window.copy(field = first), Some(PaneBounds(last, shown)))

  override def lastOfPane(time: Expression): Option[Expression] = pane.collect {
    case p: FieldPane =>
      val unit = FieldPaneLast(window.counted(time), p.advance, p.shift, p.cuts)
      val end = calendar.fold[Expression](unit)(CalendarUnitLast(unit, _))
      PreciseTimestampConversion(end, LongType, TimestampType)
  }

  override def checkOnStream(keys: Seq[Attribute], byArrival: Boolean): Unit =
    if (steps.size.isEmpty && steps.every.isEmpty) {
      throw new MuntinAnalysisException(
        "MUNTIN_ENDLESS_WINDOW_ON_STREAM",
        "window" -> window.sql
      )
    }

  override def endsByNewest: Boolean = steps.every.isDefined

  // Without an advance an earlier row moves all later openings.
  override def withdraws: Boolean = steps.advance.isEmpty

  override def hasClosing: Boolean = steps.size.isDefined

  @transient private lazy val doubles = new DoubleAxis(
    shown,
    new DoubleColumn(Memory.Unlimited, nullable = false),
    scaled,
    window.scale,
    greatest = Double.NegativeInfinity
  )

  override def lastEnd(time: Long, openUntil: Long): Option[Long] =
    scaled.size.flatMap { size =>
      val end =
        if (field.dataType == DoubleType) {
          OrderedDouble.ordinal(doubles.closeAfter(OrderedDouble.value(time)))
        } else {
          scaled.advance.fold(time + size) { advance =>
            val units = window.units()
            val unit = units.of(time)
            units.start(unit - Math.floorMod(unit - scaled.offset, advance) + size)
          }
        }
      // Without an advance a window opens where the previous one has closed.
      val opens = if (scaled.advance.isDefined) end > openUntil else time >= openUntil
      Option.when(opens)(end)
    }

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): FieldWindowPlan =
    copy(newChildren.head.asInstanceOf[FieldWindow], panes.map(_.copy(last = newChildren(1))))
}
