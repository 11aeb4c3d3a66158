package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}

/**
 * An operator over the sorted rows of two sides, which matches each row of the left side with the
 * rows that it reaches on the right side. If it `isSplit`, the rows of one key may be in several
 * tasks: each SplitReadExec below has read them in chunks of the left side, with the rows of the
 * right side that the chunks reach.
 */
trait SplittablePairExec extends BinaryExecNode with SortedInputExec {
  def isSplit: Boolean

  override final def halo: Option[Halo] = Some(Halo.NoRows)

  override def requiredChildDistribution: Seq[Distribution] =
    if (isSplit) inputs.map(_ => UnspecifiedDistribution) else super.requiredChildDistribution

  /**
   * Returns the start and the end of the rows that a row of the left side reaches, in the order of
   * the right side; None if it may reach all rows before it, or after it.
   */
  def reached: (Option[Expression], Option[Expression])

  /** Returns the operator over the chunks that both inputs read. */
  def split(readLeft: SparkPlan, readRight: SparkPlan): SparkPlan
}
