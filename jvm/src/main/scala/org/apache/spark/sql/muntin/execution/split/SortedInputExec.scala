package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Distribution
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.rows.KeyClustering

/**
 * Rows that are sorted by `keys` and, among equal keys, by `within`. If they may arrive
 * `inAnyOrder`, only rows of equal keys must be adjacent.
 */
final case class SortedInput(
    keys: Seq[Expression],
    within: Seq[SortOrder],
    inAnyOrder: Boolean = false
) {
  def order: Seq[SortOrder] = keys.map(SortOrder(_, Ascending)) ++ within
}

object SortedInput {
  def ascending(keys: Seq[Expression], within: Expression*): SortedInput =
    SortedInput(keys, within.map(SortOrder(_, Ascending)))
}

/**
 * An operator over sorted rows. It declares its inputs; `PlaceInputs` places sorts, samples and
 * exchanges by these declarations, and names no operator.
 */
trait SortedInputExec extends SparkPlan {

  /** The inputs that the first children provide, one per child. */
  def inputs: Seq[SortedInput]

  /**
   * Returns which rows of a partition the windows of a chunk reach, for chunks of the first input;
   * None if the operator needs whole partitions.
   */
  def halo: Option[Halo] = None

  override def requiredChildDistribution: Seq[Distribution] = inputs.map(i => KeyClustering(i.keys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = inputs.map(_.order)
}
