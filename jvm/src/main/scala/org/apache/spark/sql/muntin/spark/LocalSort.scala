package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.execution.{SortExec, SparkPlan}

/** Spark's sort within each partition: the order, and its child. */
object LocalSort {
  def unapply(sort: SortExec): Option[(Seq[SortOrder], SparkPlan)] =
    Option.when(!sort.global)((sort.sortOrder, sort.child))
}
