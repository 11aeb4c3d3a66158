package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.common.{AroundAggregate, FrameText, MovingFunction}
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Returns the name of a column that a query does not name: the call as the query writes it. The
 * name omits a frame that the function sets itself, and shows other frames as in SQL.
 */
private[plans] object ColumnName {
  def apply(function: AroundAggregate, window: Expression): String = {
    val whole = toPrettySQL(window)
    window match {
      case OverCall(_, spec) =>
        val frame = s" ${toPrettySQL(spec.frameSpecification)})"
        val written = function match {
          case moving: MovingFunction if moving.bringsFrame => ""
          case _ => s" ${FrameText(spec)}"
        }
        if (whole.endsWith(frame)) s"${whole.stripSuffix(frame)}$written)" else whole
      case _ => whole
    }
  }
}
