package org.apache.spark.sql.muntin.spark

import org.apache.spark.storage.{BlockId, CacheId}

/** The id of a block of our own in Spark's block store. */
object SessionBlock {
  def apply(group: String, name: String): BlockId = CacheId(group, name)
}
