package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, CollectList}

/** collect_list: the values that are not null, in the order of the rows. */
object CollectNonNull {
  def apply(value: Expression): AggregateFunction = new CollectList(value)
}
