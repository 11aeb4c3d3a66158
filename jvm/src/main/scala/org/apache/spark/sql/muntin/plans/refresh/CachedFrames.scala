package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.DataFrame

/** Results of queries that a refresh keeps in memory until it is done with them. */
private[refresh] final class CachedFrames {
  private val cached = ArrayBuffer.empty[DataFrame]

  def add(rows: DataFrame): DataFrame = {
    cached += rows.persist()
    rows
  }

  /** Drops the results. */
  def release(): Unit = {
    cached.foreach(_.unpersist())
    cached.clear()
  }
}
