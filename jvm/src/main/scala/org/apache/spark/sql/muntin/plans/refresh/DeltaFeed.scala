package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.util.quoteIdentifier
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/** A table of Delta. Its positions are versions, and its feed is the change data feed. */
private[refresh] final class DeltaFeed(session: SparkSession, path: String, read: => Long)
    extends ChangeFeed {
  private lazy val version: Long = read

  override def table: String = s"delta:$path"

  override def position: String = version.toString

  override def rows: DataFrame =
    session.read.format("delta").option("versionAsOf", version).load(path)

  override def changesSince(position: String): Option[DataFrame] =
    if (position.toLong > version) None
    else {
      Some(
        session.read.format("delta").option("readChangeFeed", "true")
          .option("startingVersion", position.toLong + 1).option("endingVersion", version)
          .load(path).drop("_change_type", "_commit_version", "_commit_timestamp")
      )
    }
}

private[refresh] object DeltaFeed {
  def of(session: SparkSession, files: HadoopFsRelation): Option[DeltaFeed] = {
    val index = files.location
    def call(method: String) = ChangeFeed.call(index, index.getClass, method)
    if (!index.getClass.getName.startsWith("org.apache.spark.sql.delta.")) None
    else {
      val path = index.rootPaths.head.toString
      call("isTimeTravelQuery") match {
        case Some(java.lang.Boolean.TRUE) =>
          call("tableVersion").map(version => new DeltaFeed(session, path, version.toString.toLong))
        case _ => Some(new DeltaFeed(session, path, newest(session, path)))
      }
    }
  }

  private def newest(session: SparkSession, path: String): Long =
    session.sql(s"DESCRIBE HISTORY delta.${quoteIdentifier(path)} LIMIT 1")
      .select("version").head().getLong(0)
}
