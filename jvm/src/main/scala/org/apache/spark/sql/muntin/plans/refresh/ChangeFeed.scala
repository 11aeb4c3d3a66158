package org.apache.spark.sql.muntin.plans.refresh

import scala.util.Try

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.muntin.spark.V2Table

/** A table that a query reads, and that knows which of its rows have changed. */
private[refresh] trait ChangeFeed {

  /** The table's name or path, which is the same in each session. */
  def table: String

  /** The version of the table that the query reads. */
  def position: String

  /** The rows of this version. */
  def rows: DataFrame

  /**
   * The rows that were inserted or deleted since another position, which is earlier, and the former
   * and new values of updated rows. None if the table does not know them.
   */
  def changesSince(position: String): Option[DataFrame]
}

private[refresh] object ChangeFeed {

  /** Returns the feed of a leaf of a query; None if its format has no feed. */
  def of(session: SparkSession, leaf: LogicalPlan): Option[ChangeFeed] = leaf match {
    case relation: LogicalRelation =>
      relation.relation match {
        case files: HadoopFsRelation =>
          DeltaFeed.of(session, files).orElse(FilesFeed.of(session, relation, files))
        case _ => None
      }
    case V2Table(name, table) => IcebergFeed.of(session, name, table)
    case _ => None
  }

  /**
   * Calls a method of a class that is not on the class path of the build. Returns None if it does
   * not exist or returns null.
   */
  private[refresh] def call(target: AnyRef, owner: Class[_], method: String): Option[AnyRef] =
    Try(owner.getMethod(method).invoke(target)).toOption.flatMap(Option(_))
}
