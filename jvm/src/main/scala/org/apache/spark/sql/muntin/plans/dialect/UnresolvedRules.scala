package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.plans.streams.StreamTriggers

/**
 * The rules for what nothing has resolved yet: a query, before Spark analyzes it, and the query
 * that a table function makes while Spark does.
 */
object UnresolvedRules {

  /** Behind ResolveNames, which asks a session what functions it has. */
  val others: Seq[Rule[LogicalPlan]] = Seq(
    OverNamedCasts,
    OrderedArguments,
    PartialInputs,
    StandardWindows,
    FilteredWindows,
    AroundAggregates,
    OverTwice,
    StreamTriggers,
    WindowsOfWindows
  )

  def apply(plan: LogicalPlan): LogicalPlan =
    (ResolveNames(SparkSession.active) +: others).foldLeft(plan)((plan, rule) => rule(plan))
}
