package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.analysis.SimpleAnalyzer
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LocalRelation}

private[spark] object CheckGroupBy {

  // Before Spark 4.0 the check is one of all checks of a query: what is below may not pass them
  // yet.
  def apply(aggregate: Aggregate): Unit =
    SimpleAnalyzer.checkAnalysis(aggregate.copy(child = LocalRelation(aggregate.child.output)))
}
