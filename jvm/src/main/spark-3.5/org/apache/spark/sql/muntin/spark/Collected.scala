package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  AggregateFunction,
  CollectList,
  CollectSet
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

/** listagg, which exists since Spark 4.0: its input, the delimiter, and the order. */
object ListAggCall {
  def unapply(list: AggregateFunction): Option[(Expression, Expression, Seq[SortOrder])] = {
    require(list != null)
    None
  }

  /** Returns true if Spark rejects the call. */
  def isRejectedBySpark(call: AggregateExpression): Boolean = {
    require(call != null)
    false
  }
}
