package org.apache.spark.sql.muntin.execution.groups

import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.fields.{DoubleAxis, OrderedDouble}
import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, PreciseTimestampConversion}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, Max}
import org.apache.spark.sql.muntin.execution.split.{FieldGrid, Grid, GroupReach}
import org.apache.spark.sql.muntin.expressions.{
  CalendarUnitLast,
  FieldPane,
  FieldPaneLast,
  FieldWindow,
  GroupWindow,
  InvalidArgument,
  WideFieldPane
}
import org.apache.spark.sql.types.{Decimal, DecimalType, DoubleType, LongType, TimestampType}

/** field_window, tumble and hop: windows along the values of a field. */
final case class FieldWindowSpec(window: FieldWindow) extends GroupWindowSpec {
  import window.{calendar, drains, field, kind, scaled, shown, steps, unscaled}

  override def ofAllGroups: Option[AggregateFunction] =
    Option.when(!drains || steps.every.isDefined)(Max(window.reach.getOrElse(field)))

  override def plan(known: Option[Any]): GroupPlan = FieldPlan(window, known.filter(_ != null))

  override def ascending: Seq[Int] =
    if (steps.size.isDefined && steps.every.isEmpty) Seq(0, 1) else Nil

  override def panes: Option[WindowPanes] =
    for {
      _ <- Option.when(field.dataType != DoubleType)(())
      whole = unscaled
      size <- whole.size
      advance <- whole.advance
      cuts <- FieldPane.cuts(size, advance, whole.every)
    } yield new WindowPanes {
      private val shift = whole.offset.mod(advance)

      override val pane: Expression = field.dataType match {
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

      override def over(first: Attribute, last: Attribute): GroupWindow =
        window.copy(field = first, reach = Some(last), paned = Some(shown))

      override def last(time: Expression): Option[Expression] = pane match {
        case p: FieldPane =>
          val unit = FieldPaneLast(window.counted(time), p.advance, p.shift, p.cuts)
          val end = calendar.fold[Expression](unit)(CalendarUnitLast(unit, _))
          Some(PreciseTimestampConversion(end, LongType, TimestampType))
        case _ => None
      }
    }

  // Not over panes, of which there are few; nor with several tracks, whose results do not come in
  // the order in which windows open.
  override def reach: Option[GroupReach] = field match {
    case column: Attribute
        if Grid.supports(column) && window.reach.isEmpty && window.tracks.size == 1 =>
      for {
        size <- scaled.size
        advance <- scaled.advance
      } yield FieldGrid(column, size, advance, Math.floorMod(scaled.offset, advance), calendar)
    case _ => None
  }

  override object onStream extends GroupWindowOnStream {
    override def plan(keyed: Boolean): GroupPlan =
      if (steps.size.isEmpty && steps.every.isEmpty) {
        throw InvalidArgument(
          FieldWindow.name,
          "size",
          s"left out in ${window.sql}, a window that never closes, and so nothing would ever " +
            "come out of a stream; write size => 3600 for windows of an hour, or every => 60 for " +
            "a running result each minute"
        )
      } else FieldPlan(window.copy(drain = Some(false)), None)

    override def endsByNewest: Boolean = steps.every.isDefined

    // Without an advance an earlier row moves all openings behind it.
    override def withdraws: Boolean = steps.advance.isEmpty

    override def hasClosing: Boolean = scaled.size.isDefined

    private lazy val doubles = new DoubleAxis(
      shown,
      new DoubleColumn(Memory.Unlimited, nullable = false),
      scaled,
      window.scale,
      known = Double.NegativeInfinity
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
        // Without an advance a window opens where the one before has closed.
        val opens = if (scaled.advance.isDefined) end > openUntil else time >= openUntil
        Option.when(opens)(end)
      }
  }
}
