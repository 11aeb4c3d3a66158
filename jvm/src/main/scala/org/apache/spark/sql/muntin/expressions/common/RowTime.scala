package org.apache.spark.sql.muntin.expressions.common

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.spark.{CastTo, MuntinAnalysisException, Times}
import org.apache.spark.sql.types._

/**
 * row_time: times as numbers, for RANGE frames in DataFrame code, whose bounds can only be numbers.
 * In these numbers every day has 24 hours, even if a clock changes.
 */
object RowTime extends SqlFunction {
  override def definition: Definition = Definitions.rowTime

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(SortOrder(time, Ascending, NullsFirst, _)) => number(time)
    case Seq(order: SortOrder) =>
      throw new MuntinAnalysisException(
        "MUNTIN_RANGE_OF_DURATIONS_NOT_ASCENDING",
        "order" -> order.sql,
        "time" -> order.child.sql
      )
    case Seq(time) => number(time)
  }

  private def number(time: Expression): Expression = time.dataType match {
    case t @ (TimestampType | TimestampNTZType) => PreciseTimestampConversion(time, t, LongType)
    case DateType => Times(Cast(UnixDate(time), LongType), Literal(MICROS_PER_DAY))
    case other =>
      throw new MuntinAnalysisException(
        "MUNTIN_RANGE_OF_DURATIONS_WITHOUT_TIME",
        "order" -> time.sql,
        "type" -> other.sql
      )
  }

  /** Returns true if an order is by a number from this function, resolved or not. */
  def isMade(order: Expression): Boolean = order match {
    case call: UnresolvedFunction => call.nameParts == Seq(qualifiedName)
    case PreciseTimestampConversion(_, TimestampType | TimestampNTZType, LongType) => true
    case Times(CastTo(_: UnixDate, LongType), Literal(MICROS_PER_DAY, LongType)) => true
    case _ => false
  }
}
