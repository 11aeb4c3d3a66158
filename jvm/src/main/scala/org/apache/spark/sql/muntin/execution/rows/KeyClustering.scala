package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{AllTuples, ClusteredDistribution, Distribution}

/** Requires that rows of equal keys are in one partition, so that Spark exchanges them. */
private[execution] object KeyClustering {
  def apply(keys: Seq[Expression]): Distribution =
    if (keys.isEmpty) AllTuples else ClusteredDistribution(keys)
}
