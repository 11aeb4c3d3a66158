package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}

/** A table about a checkpoint: its contents, or the result of a command. */
trait CheckpointNode extends LeafNode with MultiInstanceRelation {
  // The number of rows is known only when they are read.
  override def computeStats(): Statistics = Statistics(conf.defaultSizeInBytes)
}
