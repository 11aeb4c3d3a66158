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
 * A shuffle by Spark's shuffle manager, of rows or of packs of rows, and not by another engine that
 * has taken the shuffle's place.
 */
final class RowShuffle private (exchange: ShuffleExchangeLike) {

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
  def isRequired: Boolean = origin match {
    case REPARTITION_BY_COL | REPARTITION_BY_NUM => false
    case REBALANCE_PARTITIONS_BY_COL | REBALANCE_PARTITIONS_BY_NONE => false
    // Of a stateful operator it has an origin of its own since Spark 4.0.
    case _ => true
  }

  /** Why the shuffle is there. */
  def origin: ShuffleOrigin = exchange.shuffleOrigin

  /** Whether rows are moved one by one, by Spark's own operator. */
  def isOfRows: Boolean = exchange.isInstanceOf[ShuffleExchangeExec]

  /** Whether a task that fails and runs again writes the same rows. */
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
