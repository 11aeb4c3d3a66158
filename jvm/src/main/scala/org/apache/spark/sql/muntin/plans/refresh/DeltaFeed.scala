package org.apache.spark.sql.muntin.plans.refresh

import scala.util.Try

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation

/** A table of Delta. Its positions are versions, and its feed is the change data feed. */
private[refresh] final class DeltaFeed(session: SparkSession, path: String, version: Long)
    extends ChangeFeed {
  override def table: String = s"delta:$path"

  override def position: String = version.toString

  override def rows: DataFrame =
    session.read.format("delta").option("versionAsOf", version).load(path)

  override def changesSince(position: String): Option[DataFrame] =
    if (position.toLong > version) None
    else if (position.toLong == version) Some(rows.limit(0))
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
    // Delta's classes are not on the class path of the build.
    def call(method: String) = Try(index.getClass.getMethod(method).invoke(index)).toOption
    if (!index.getClass.getName.startsWith("org.apache.spark.sql.delta.")) None
    else {
      val path = index.rootPaths.head.toString
      val version = call("isTimeTravelQuery").flatMap {
        case java.lang.Boolean.TRUE => call("tableVersion").map(_.toString.toLong)
        case _ => Some(newest(session, path))
      }
      version.map(new DeltaFeed(session, path, _))
    }
  }

  private def newest(session: SparkSession, path: String): Long =
    session.sql(s"DESCRIBE HISTORY delta.`${path.replace("`", "``")}` LIMIT 1")
      .select("version").head().getLong(0)
}
