package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.adaptive.QueryStageExec
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** The shuffles of a query, which can be shared where they are alike. */
object SharedShuffles {

  /** The shuffles in a plan, its subqueries and its stages that are not `known`; canonicalized. */
  def others(plan: SparkPlan, known: Seq[SparkPlan]): Set[SparkPlan] =
    all(plan).filterNot(e => known.exists(_ eq e)).map(_.canonicalized).toSet

  private def all(plan: SparkPlan): Seq[SparkPlan] = plan.collectWithSubqueries[Seq[SparkPlan]] {
    case shuffle: ShuffleExchangeLike => Seq(shuffle)
    case stage: QueryStageExec => all(stage.plan)
  }.flatten
}
