package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.functions.{col, sum, when}

/** A table of Iceberg. Its positions are snapshots, and its feed is the table's changelog. */
private[refresh] final class IcebergFeed(session: SparkSession, name: String, snapshot: Long)
    extends ChangeFeed {
  import IcebergFeed._

  override def table: String = s"iceberg:$name"

  override def position: String = snapshot.toString

  override def rows: DataFrame = session.sql(s"SELECT * FROM $name VERSION AS OF $snapshot")

  override def changesSince(position: String): Option[DataFrame] = {
    val changes = session.read.option("start-snapshot-id", position)
      .option("end-snapshot-id", snapshot.toString).table(s"$name.changes")
    Some(withoutCopies(changes))
  }

  /** Removes the rows that a commit has only copied from one file into another. */
  private def withoutCopies(changes: DataFrame): DataFrame = {
    val columns = changes.columns.toSeq.filterNot(Described)
    val named = columns.map(c => col(s"`$c`"))
    if (columns.exists(c => !RowOrdering.isOrderable(changes.schema(c).dataType))) {
      changes.select(named: _*)
    } else {
      val count = sum(when(col("_change_type") === "INSERT", 1).otherwise(-1))
      changes.groupBy(named: _*).agg(count.as("_count")).where("_count <> 0").drop("_count")
    }
  }
}

private[refresh] object IcebergFeed {

  /** The columns of a changelog in addition to the table's columns. */
  private val Described = Set("_change_type", "_change_ordinal", "_commit_snapshot_id")

  def of(session: SparkSession, name: String, table: Table): Option[IcebergFeed] =
    if (!table.getClass.getName.startsWith("org.apache.iceberg.")) None
    else snapshotOf(table).map(new IcebergFeed(session, name, _))

  private def snapshotOf(table: Table): Option[Long] = {
    val loader = table.getClass.getClassLoader
    val ofTable = ChangeFeed.call(table, table.getClass, "snapshotId")
    val snapshot = ofTable.orElse {
      for {
        inner <- ChangeFeed.call(table, table.getClass, "table")
        current <-
          ChangeFeed.call(inner, loader.loadClass("org.apache.iceberg.Table"), "currentSnapshot")
        id <-
          ChangeFeed.call(current, loader.loadClass("org.apache.iceberg.Snapshot"), "snapshotId")
      } yield id
    }
    snapshot.collect { case id: java.lang.Long => id }
  }
}
