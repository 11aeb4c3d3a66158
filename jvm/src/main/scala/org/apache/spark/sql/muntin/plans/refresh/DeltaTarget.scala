package org.apache.spark.sql.muntin.plans.refresh

import scala.jdk.CollectionConverters._

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.spark.LocalSession

/** A table of Delta. The position is in the user metadata of the commit. */
private[refresh] final class DeltaTarget(session: SparkSession, name: String)
    extends MergeTarget(session, name) {
  import DeltaTarget._

  override def stored: StoredPosition = StoredPosition.of(
    session.sql(s"DESCRIBE HISTORY $name LIMIT $Commits").select("operation", "userMetadata")
      .toLocalIterator().asScala
      .filterNot(commit => Maintenance(commit.getString(0)))
      .map(commit => Option(commit.getString(1)).collect { case Stored(position) => position })
  )

  /** A separate session, because a setting holds for all commits of its session. */
  override protected def storing(position: Option[RefreshPosition])(
      body: SparkSession => Unit
  ): Unit = {
    val separate = LocalSession.copy(session)
    position.foreach(p => separate.conf.set(UserMetadata, s"${RefreshPosition.Name}=${p.text}"))
    body(separate)
  }
}

private object DeltaTarget {
  private val UserMetadata = "spark.databricks.delta.commitInfo.userMetadata"
  private val Stored = s"(?s)${RefreshPosition.Name}=(.*)".r

  /** As many commits are read. */
  private val Commits = 100

  /** Operations that do not change the rows. */
  private val Maintenance = Set(
    "OPTIMIZE",
    "VACUUM START",
    "VACUUM END",
    "SET TBLPROPERTIES",
    "UNSET TBLPROPERTIES",
    "CHANGE COLUMN",
    "UPGRADE PROTOCOL",
    "COMPUTE STATS",
    "CLUSTER BY"
  )
}
