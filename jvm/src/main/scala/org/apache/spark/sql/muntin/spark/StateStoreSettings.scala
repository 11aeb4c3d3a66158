package org.apache.spark.sql.muntin.spark

/** Spark's settings of state stores that Muntin sets for a query with windows. */
object StateStoreSettings {
  val Changelog: String = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

  /** Spark sets it when a query starts. Versions before 4.1 ignore it. */
  val Partitions: String = "spark.sql.streaming.internal.stateStore.partitions"

  /**
   * Returns settings for how RocksDB writes the state of windows over streams, unless the session
   * sets them. Each micro-batch rewrites most groups. Committing a changelog is faster than
   * committing RocksDB's files. To count rows, Spark would look up each key before it writes the
   * key. The windows count their own rows (StreamTotals), but Spark's operators do not.
   */
  def written(hasStateOfSpark: Boolean): Seq[(String, String)] =
    Seq(Changelog -> "true") ++ Option.unless(hasStateOfSpark)(
      "spark.sql.streaming.stateStore.rocksdb.trackTotalNumberOfRows" -> "false"
    )
}
