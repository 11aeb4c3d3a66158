package org.apache.spark.sql.muntin.spark

import org.apache.spark.ShuffleDependency
import org.apache.spark.rdd.DeterministicLevel
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, WholeStageCodegenExec}
import org.apache.spark.sql.execution.exchange.{
  REBALANCE_PARTITIONS_BY_COL,
  REBALANCE_PARTITIONS_BY_NONE,
  REPARTITION_BY_COL,
  REPARTITION_BY_NUM,
  ShuffleExchangeExec,
  ShuffleExchangeLike,
  ShuffleOrigin
}

/**
 * A shuffle, of rows or of packs of rows, by Spark's shuffle manager: not a shuffle that another
 * engine has substituted.
 */
final class RowShuffle private (exchange: ShuffleExchangeLike) {

  /** Returns the operator whose rows are shuffled. */
  def rows: SparkPlan = exchange.child match {
    case WholeStageCodegenExec(rows) => rows
    case rows => rows
  }

  /** Returns the same shuffle of another operator's rows. */
  def withRows(rows: SparkPlan): SparkPlan = exchange.withNewChildren(Seq(rows))

  /** The partitioning of the rows after the shuffle. */
  def partitioning: Partitioning = exchange.outputPartitioning

  /** True if an operator requires the shuffle; false if the query requests it. */
  def isRequired: Boolean = origin match {
    case REPARTITION_BY_COL | REPARTITION_BY_NUM => false
    case REBALANCE_PARTITIONS_BY_COL | REBALANCE_PARTITIONS_BY_NONE => false
    // Since Spark 4.0, a stateful operator's shuffle has another origin.
    case _ => true
  }

  /** The reason for the shuffle. */
  def origin: ShuffleOrigin = exchange.shuffleOrigin

  /** True if Spark's own operator shuffles rows one by one. */
  def isOfRows: Boolean = exchange.isInstanceOf[ShuffleExchangeExec]

  /** True if a task that fails and runs again writes the same rows. */
  def isRepeatable: Boolean =
    dependency.rdd.outputDeterministicLevel != DeterministicLevel.INDETERMINATE

  private def dependency: ShuffleDependency[_, _, _] = exchange match {
    case ofRows: ShuffleExchangeExec => ofRows.shuffleDependency
    case ofPacks: PackedExchange[_] => ofPacks.dependency
    case other => throw new IllegalStateException(s"another engine's: $other")
  }

  private[spark] def id: Int = dependency.shuffleId
}

object RowShuffle {
  def unapply(plan: SparkPlan): Option[RowShuffle] = plan match {
    case exchange: ShuffleExchangeExec => Some(new RowShuffle(exchange))
    case exchange: PackedExchange[_] => Some(new RowShuffle(exchange))
    case _ => None
  }
}
