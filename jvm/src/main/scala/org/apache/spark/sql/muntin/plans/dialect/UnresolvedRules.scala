package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.streams.StreamTriggers

/**
 * Applies the rules for unresolved plans: to a query before Spark analyzes it, and to the query
 * that a table function returns during analysis.
 */
object UnresolvedRules {

  /** These run after ResolveNames, which needs a session to look up functions. */
  val others: Seq[Rule[LogicalPlan]] = Seq(
    OverNamedCasts,
    OrderedArguments,
    PartialInputs,
    StandardWindows,
    FilteredWindows,
    AroundAggregates,
    RejectNestedOver,
    StreamTriggers,
    WindowsOfWindows
  )

  def apply(plan: LogicalPlan): LogicalPlan =
    (ResolveNames(SparkSession.active) +: others).foldLeft(plan)((plan, rule) => rule(plan))
}
