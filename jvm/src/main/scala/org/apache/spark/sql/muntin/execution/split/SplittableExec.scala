package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * An operator over sorted rows. If it `isSplit`, the rows of one partition may be in several tasks:
 * a SplitReadExec below the operator has read them in chunks.
 */
trait SplittableExec extends UnaryExecNode with SortedInputExec {
  def isSplit: Boolean

  override def requiredChildDistribution: Seq[Distribution] =
    if (isSplit) Seq(UnspecifiedDistribution) else super.requiredChildDistribution

  /** Returns the operator over the chunks that `read` reads. */
  def split(read: SparkPlan): SparkPlan
}
