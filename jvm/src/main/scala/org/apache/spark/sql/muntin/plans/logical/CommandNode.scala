package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, Statistics}

/** A table that is computed when its rows are read, such as the result of a command. */
trait CommandNode extends LeafNode with MultiInstanceRelation {
  // The number of rows is known only when they are read.
  override def computeStats(): Statistics = Statistics(conf.defaultSizeInBytes)
}
