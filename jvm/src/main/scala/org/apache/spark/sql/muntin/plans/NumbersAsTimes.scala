package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.Window
import org.apache.spark.sql.types._

/**
 * DataFrame code has numbers alone for the ends of a RANGE, and so orders by its times as numbers: by
 * row_time, or by unix_micros. A stream goes by times: here they are times again, and the numbers durations.
 */
private[plans] object NumbersAsTimes {
  def apply(window: Window): Window =
    if (!window.orderSpec.exists(o => isNumber(o.child))) window
    else
      window.copy(
        orderSpec = window.orderSpec.map(byTime),
        windowExpressions = window.windowExpressions.map(_.transform {
          case ranked: RankLike => ranked.withOrder(ranked.children.map(time))
          case spec: WindowSpecDefinition if spec.orderSpec.exists(o => isNumber(o.child)) =>
            spec.copy(
              orderSpec = spec.orderSpec.map(byTime),
              frameSpecification = byTime(spec.frameSpecification)
            )
        }.asInstanceOf[NamedExpression])
      )

  private def isNumber(e: Expression): Boolean = time(e) ne e

  private def time(e: Expression): Expression = e match {
    case PreciseTimestampConversion(child, TimestampType, LongType) => child
    case UnixMicros(child) if child.dataType == TimestampType => child
    case other => other
  }

  private def byTime(order: SortOrder): SortOrder =
    order.copy(child = time(order.child), sameOrderExpressions = Nil)

  private def byTime(frame: WindowFrame): WindowFrame = frame match {
    case SpecifiedWindowFrame(RangeFrame, lower, upper) =>
      SpecifiedWindowFrame(RangeFrame, duration(lower), duration(upper))
    case other => other
  }

  private def duration(end: Expression): Expression = end match {
    case special: SpecialFrameBoundary => special
    case number if number.foldable && number.dataType.isInstanceOf[IntegralType] =>
      Literal(Cast(number, LongType).eval().asInstanceOf[Long], DayTimeIntervalType())
    case other => other
  }
}
