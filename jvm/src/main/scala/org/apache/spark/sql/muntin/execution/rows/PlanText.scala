package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, PrettyAttribute}
import org.apache.spark.sql.types.{DayTimeIntervalType, YearMonthIntervalType}

/**
 * Formats a part of a plan for EXPLAIN and the UI. Spark shows the literal of an interval as a
 * number of microseconds or months; here it is SQL.
 *
 *     INTERVAL 6 HOURS     Spark: 21600000000     here: INTERVAL '06' HOUR
 */
private[muntin] object PlanText {
  def apply(part: Any): String = part match {
    case expression: Expression => expression.transform(withSql).toString
    case other => other.toString
  }

  private val withSql: PartialFunction[Expression, Expression] = {
    case literal @ Literal(value, _: DayTimeIntervalType | _: YearMonthIntervalType)
        if value != null =>
      PrettyAttribute(literal.sql, literal.dataType)
  }
}
