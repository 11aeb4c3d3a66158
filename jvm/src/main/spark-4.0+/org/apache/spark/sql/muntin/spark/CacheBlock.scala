package org.apache.spark.sql.muntin.spark

import org.apache.spark.storage.{BlockId, CacheId}

/** The name of a cached block. */
private[spark] object CacheBlock {
  def apply(group: String, name: String): BlockId = CacheId(group, name)
}
