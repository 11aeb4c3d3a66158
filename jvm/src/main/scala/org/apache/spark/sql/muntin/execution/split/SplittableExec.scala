package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * An operator over sorted rows. Where it `isSplit`, the rows of one partition may be in several
 * tasks, as a SplitReadExec below has them.
 */
trait SplittableExec extends UnaryExecNode {
  def isSplit: Boolean

  /** By how many of the first of its `requiredChildOrdering` its partitions are told apart. */
  def partitionKeys: Int

  /** What of a partition the windows of a part of it reach; None where that may be all. */
  def halo: Option[Halo]

  /** The same over partitions that are split. */
  def split(read: SparkPlan): SparkPlan
}
