package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Supports ranks, lag, lead and nth_value without ORDER BY, which Spark rejects, with
 * spark.muntin.over.permissive. All rows are peers.
 */
private[plans] object RanksWithoutOrder extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    if (!lacksOrder(function, spec)) None
    else Some(OverCall(function, spec.copy(orderSpec = Seq(SortOrder(Literal(1), Ascending)))))

  def lacksOrder(function: Expression, spec: WindowSpecDefinition): Boolean = function match {
    case call: UnresolvedFunction =>
      spec.orderSpec.isEmpty && WindowCalls.isPermissive &&
      (WindowCalls.isRank(call) || WindowCalls.isNamed(call, "nth_value"))
    case _ => false
  }
}
