package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, CollectList}

/** collect_list: the non-null values, in the order of the rows. */
object CollectNonNull {
  def apply(value: Expression): AggregateFunction = new CollectList(value)
}
