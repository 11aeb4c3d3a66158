package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

/**
 * An operator over sorted rows. Where it `isSplit`, the rows of one partition may be in several
 * tasks: a SplitReadExec below the operator has read them in chunks.
 */
trait SplittableExec extends UnaryExecNode {
  def isSplit: Boolean

  /** How many of the first columns of `requiredChildOrdering` are those of PARTITION BY. */
  def partitionKeys: Int

  /**
   * Which rows of a partition the windows of a chunk reach; None where a chunk may need all rows.
   */
  def halo: Option[Halo]

  /** The same operator over the chunks that `read` reads. */
  def split(read: SparkPlan): SparkPlan
}
