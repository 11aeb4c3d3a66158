package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  CollectList,
  CollectSet,
  ListAgg
}

/** collect_list: its input, and whether it ignores nulls, as it always does before Spark 4.2. */
object CollectListCall {
  def unapply(list: CollectList): Some[(Expression, Boolean)] = Some((list.child, true))
}

/** collect_set: its input, and whether it ignores nulls, as it always does before Spark 4.2. */
object CollectSetCall {
  def apply(input: Expression, ignoreNulls: Boolean): CollectSet = {
    require(ignoreNulls, "collect_set with nulls requires Spark 4.2")
    CollectSet(input)
  }

  def unapply(set: CollectSet): Some[(Expression, Boolean)] = Some((set.child, true))
}

/** listagg: its input, the delimiter, and the order of WITHIN GROUP, if any. */
object ListAggCall {
  def unapply(list: ListAgg): Some[(Expression, Expression, Seq[SortOrder])] =
    Some((list.child, list.delimiter, list.orderExpressions))

  /**
   * Returns true if Spark rejects the call: distinct values may have several places in the order.
   */
  def isRejectedBySpark(call: AggregateExpression): Boolean = call.aggregateFunction match {
    case list: ListAgg => call.isDistinct && list.needSaveOrderValue
    case _ => false
  }
}
