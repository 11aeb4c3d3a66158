package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.SimpleAnalyzer
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalRelation}

private[spark] object CheckGroupBy {

  // Before Spark 4.0, the check is part of the check of the whole query, which upstream nodes may
  // not pass yet.
  def apply(aggregate: Aggregate): Unit =
    SimpleAnalyzer.checkAnalysis(aggregate.copy(child = LocalRelation(aggregate.child.output)))
}
