package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  CollectList,
  CollectSet,
  ListAgg
}

/** collect_list: its input, and whether it ignores nulls. */
object CollectListCall {
  def unapply(list: CollectList): Some[(Expression, Boolean)] = Some((list.child, list.ignoreNulls))
}

/** collect_set: its input, and whether it ignores nulls. */
object CollectSetCall {
  def apply(input: Expression, ignoreNulls: Boolean): CollectSet =
    CollectSet(input, ignoreNulls = ignoreNulls)

  def unapply(set: CollectSet): Some[(Expression, Boolean)] = Some((set.child, set.ignoreNulls))
}

/** listagg: its input, the delimiter, and the order of WITHIN GROUP, if any. */
object ListAggCall {
  def unapply(list: ListAgg): Some[(Expression, Expression, Seq[SortOrder])] =
    Some((list.child, list.delimiter, list.orderExpressions))

  /**
   * Returns true if Spark rejects the call: distinct values may have several places in the order.
   */
  def isRejectedBySpark(call: AggregateExpression): Boolean = call.aggregateFunction match {
    // Called only for DISTINCT: Spark's method may leave fields in the function that cannot be
    // serialized.
    case list: ListAgg => call.isDistinct && list.hasDistinctOrderAmbiguity
    case _ => false
  }
}
