package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Project, Window}
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.expressions.common.KnownInteger
import org.apache.spark.sql.muntin.plans.logical.WithColumns
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverClause}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Restores times from numbers. In DataFrame code the bounds of a RANGE can only be numbers, so it
 * orders by times as numbers: by row_time or by unix_micros. A stream needs times, so this rule
 * turns the numbers into times and the offsets into durations. The result may have one column of
 * the child more than the window had.
 */
private[plans] object NumbersAsTimes {
  def apply(window: Window): Window = {
    val ordered = AttributeSet(window.orderSpec.map(_.child).collect { case a: Attribute => a })
    val numbers = window.child.collect { case Project(list, _) =>
      list.collect {
        case number @ Alias(NumberOf(time), _) if ordered.contains(number.toAttribute) =>
          number.toAttribute -> time
      }
    }.flatten
    if (numbers.isEmpty) window
    else {
      // If a query has several windows and does not select the time, only the time's number is left
      // here.
      val times = numbers.map { case (number, time) =>
        number -> (if (window.child.outputSet.contains(time)) time else timeOf(number, time))
      }
      val added = times.collect { case (_, time: Alias) => time }
      byTime(
        window,
        AttributeMap(times.map { case (n, t) => n -> t.toAttribute })
      ).copy(child = WithColumns.project(window.child, added))
    }
  }

  private def timeOf(number: Attribute, time: Attribute): NamedExpression =
    Alias(PreciseTimestampConversion(number, LongType, TimestampType), time.name)(explicitMetadata =
      Some(time.metadata)
    )

  private object NumberOf {
    def unapply(e: Expression): Option[Attribute] = e match {
      case PreciseTimestampConversion(time: Attribute, TimestampType, LongType) => Some(time)
      case UnixMicros(time: Attribute) if time.dataType == TimestampType => Some(time)
      case _ => None
    }
  }

  private def attribute(e: Expression): Attribute = e match {
    case a: Attribute => a
    case other => AttributeReference("other", other.dataType)()
  }

  private def byTime(window: Window, times: AttributeMap[Attribute]): Window = {
    def time(e: Expression) = times.getOrElse(attribute(e), e)
    def ordered(order: Seq[SortOrder]) =
      order.map(o => o.copy(child = time(o.child), sameOrderExpressions = Nil))
    window.copy(
      orderSpec = ordered(window.orderSpec),
      windowExpressions = window.windowExpressions.map(_.transform {
        case ranked: RankLike => ranked.withOrder(ranked.children.map(time))
        case spec @ OverClause(_, order, frame)
            if order.exists(o => time(o.child) ne o.child) =>
          spec.copy(orderSpec = ordered(order), frameSpecification = byTime(frame))
      }.asInstanceOf[NamedExpression])
    )
  }

  private def byTime(frame: WindowFrame): WindowFrame = frame match {
    case FrameBetween(RangeFrame, lower, upper) =>
      // A number is a fixed duration. In a day-time interval, days are days of the session's time
      // zone.
      val isLong = Seq(lower, upper).exists(KnownInteger.unapply(_).exists(_.abs >= MICROS_PER_DAY))
      def end(e: Expression) = KnownInteger.unapply(e).fold(e) { n =>
        if (isLong) Literal(new CalendarInterval(0, 0, n), CalendarIntervalType)
        else Literal(n, DayTimeIntervalType())
      }
      FrameBetween(RangeFrame, end(lower), end(upper))
    case other => other
  }
}
