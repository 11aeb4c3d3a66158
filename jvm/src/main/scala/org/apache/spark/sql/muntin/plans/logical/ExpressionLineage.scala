package org.apache.spark.sql.muntin.plans.logical

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.spark.{CastTo, Times}
import org.apache.spark.sql.types.{LongType, TimestampNTZType, TimestampType}

/**
 * Traces a value to the columns from which it is computed, as far down as the rows are the same. So
 * columns of different names are found to be equal.
 */
private[plans] object ExpressionLineage {
  @tailrec
  def apply(e: Expression, plan: LogicalPlan): Expression = plan match {
    case Project(list, child) => apply(throughProject(e, list), child)
    case SubqueryAlias(_, child) => apply(e, child)
    case view: View => apply(e, view.child)
    case window: Window => apply(e, window.child)
    case windows: StreamWindows => apply(e, windows.child)
    case _ => plain(e)
  }

  /**
   * Returns the expression over the rows below a projection. An expression that should not be
   * computed again stays a column.
   */
  def throughProject(e: Expression, projected: Seq[NamedExpression]): Expression = {
    val made = AttributeMap(projected.collect {
      case a: Alias if isMovable(a) =>
        a.toAttribute -> a.child
    })
    e.transformUp { case a: Attribute => made.getOrElse(a, a) }
  }

  /** Returns the time that a number represents, if the numbers have the order of the times. */
  def time(e: Expression): Expression = e match {
    case PreciseTimestampConversion(time, TimestampType | TimestampNTZType, LongType) => time
    case Times(CastTo(UnixDate(day), LongType), Literal(MICROS_PER_DAY, LongType)) => day
    case other => other
  }

  private def isMovable(e: Expression): Boolean =
    e.deterministic && !SubqueryExpression.hasCorrelatedSubquery(e)

  private def plain(e: Expression): Expression = e.transformUp {
    case Alias(child, _) => child
    case CastTo(child, to) if child.dataType == to => child
    case UnixMicros(time) if time.dataType == TimestampType =>
      PreciseTimestampConversion(time, TimestampType, LongType)
    case PreciseTimestampConversion(PreciseTimestampConversion(time, from, _), _, to)
        if from == to =>
      time
  }
}
