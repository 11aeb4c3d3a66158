package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, CollectSet}

/** collect_list: its input, and whether it leaves nulls out. */
object ListOf {
  def unapply(list: CollectList): Some[(Expression, Boolean)] = Some((list.child, list.ignoreNulls))
}

/** collect_set: its input, and whether it leaves nulls out. */
object SetOf {
  def apply(input: Expression, ignoreNulls: Boolean): CollectSet =
    CollectSet(input, ignoreNulls = ignoreNulls)

  def unapply(set: CollectSet): Some[(Expression, Boolean)] = Some((set.child, set.ignoreNulls))
}
