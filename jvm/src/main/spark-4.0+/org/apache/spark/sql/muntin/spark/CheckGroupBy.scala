package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.ExprUtils
import org.apache.spark.sql.catalyst.plans.logical.Aggregate

private[spark] object CheckGroupBy {
  def apply(aggregate: Aggregate): Unit = ExprUtils.assertValidAggregation(aggregate)
}
