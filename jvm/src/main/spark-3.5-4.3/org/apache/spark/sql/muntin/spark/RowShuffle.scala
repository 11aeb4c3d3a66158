package org.apache.spark.sql.muntin.spark

import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.execution.exchange.{ENSURE_REQUIREMENTS, ShuffleExchangeExec}

/** A shuffle of rows by Spark itself, not by another engine that has taken the shuffle's place. */
final class RowShuffle private (exchange: ShuffleExchangeExec) {

  /** The operator whose rows are shuffled. */
  def rows: SparkPlan = exchange.child match {
    case WholeStageCodegenExec(rows) => rows
    case rows => rows
  }

  /** The same shuffle of the rows of another operator. */
  def withRows(rows: SparkPlan): SparkPlan = exchange.withNewChildren(Seq(rows))

  /** Which partition each row goes to. */
  def partitioning: Partitioning = exchange.outputPartitioning

  /** Whether the shuffle is there for an operator above, and not because a query asks for it. */
  def isRequired: Boolean = exchange.shuffleOrigin == ENSURE_REQUIREMENTS

  /** Whether a task that fails and runs again writes the same rows. */
  def isRepeatable: Boolean =
    exchange.shuffleDependency.rdd.outputDeterministicLevel != DeterministicLevel.INDETERMINATE

  private[spark] def id: Int = exchange.shuffleDependency.shuffleId
}

object RowShuffle {
  def unapply(plan: SparkPlan): Option[RowShuffle] = plan match {
    case exchange: ShuffleExchangeExec => Some(new RowShuffle(exchange))
    case _ => None
  }
}
