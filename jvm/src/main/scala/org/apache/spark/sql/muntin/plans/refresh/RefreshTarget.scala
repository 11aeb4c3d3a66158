package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.functions.{lit, sum}
import org.apache.spark.sql.muntin.spark.{BatchQuery, MuntinAnalysisException}

/** A table of results. */
private[refresh] abstract class RefreshTarget(session: SparkSession, name: String) {

  /** The rows of the table. They are opened when they are read for the first time. */
  final lazy val rows: LogicalPlan = BatchQuery.plan(session.table(name))

  /** The columns whose values decide which files a result is in. */
  def partitioning: Seq[String]

  /** Returns up to where the results are fresh. */
  def stored: StoredPosition

  /**
   * Counts the results that a refresh replaces, in one job.
   *
   * @param former
   *   the affected rows of this table
   * @param results
   *   the rows that take their place
   */
  final def affected(former: DataFrame, results: DataFrame): AffectedResults = {
    def counted(rows: DataFrame, deleted: Long, inserted: Long) = rows.select(
      partitioning.map(rows(_)) :+ lit(deleted).as("deleted") :+ lit(inserted).as("inserted"): _*
    )
    val both = counted(former, 1L, 0L).union(counted(results, 0L, 1L))
    val counts = both.groupBy(partitioning.map(both(_)): _*)
      .agg(sum("deleted").as("deleted"), sum("inserted").as("inserted")).collect().toSeq
    val n = partitioning.size
    // Without rows, sums of all rows are null.
    def total(column: Int): Long = counts.filterNot(_.isNullAt(column)).map(_.getLong(column)).sum
    AffectedResults(counts.map(row => Row.fromSeq(row.toSeq.take(n))), total(n), total(n + 1))
  }

  /** Replaces the rows in the stretches by `results`, and stores the position. */
  def replace(
      stretches: Stretches,
      results: DataFrame,
      affected: AffectedResults,
      position: Option[RefreshPosition]
  ): Unit

  /** Replaces all rows by `results`, and stores the position. */
  def replaceAll(results: DataFrame, position: Option[RefreshPosition]): Unit
}

/**
 * How many results a refresh replaces, and their partitions: rows with the values of the columns of
 * `partitioning`.
 */
private[refresh] final case class AffectedResults(
    partitions: Seq[Row],
    deleted: Long,
    inserted: Long
)

private[refresh] object RefreshTarget {
  private val Files = Set("parquet", "orc")

  /** Returns the table with this name, whose columns must be the columns of the query. */
  def of(session: SparkSession, name: String, output: Seq[Attribute]): RefreshTarget = {
    val opened = BatchQuery.plan(session.table(name))
    def error(condition: String, parameters: (String, String)*) =
      new MuntinAnalysisException(condition, ("target" -> name) +: parameters: _*)
    val columns = opened.output.map(a => a.name -> a.dataType)
    val wanted = output.map(a => a.name -> a.dataType)
    if (columns.toSet != wanted.toSet || columns.size != wanted.size) {
      val (column, dataType) = wanted.diff(columns).headOption.getOrElse(columns.diff(wanted).head)
      throw error("MUNTIN_REFRESH_TARGET_COLUMNS", "column" -> column, "type" -> dataType.sql)
    }
    val provider = providerOf(session, name)
    lazy val partitioned = opened.collectFirst {
      case relation: LogicalRelation => (relation.relation, relation.catalogTable)
    }.collect {
      case (files: HadoopFsRelation, Some(table))
          if table.partitionColumnNames.nonEmpty && table.bucketSpec.isEmpty &&
            Files(provider) =>
        new PartitionedTarget(session, name, files, table)
    }
    provider match {
      case "delta" => new DeltaTarget(session, name)
      case "iceberg" => new IcebergTarget(session, name)
      case other =>
        partitioned.getOrElse(throw error("MUNTIN_REFRESH_TARGET_FORMAT", "format" -> other))
    }
  }

  private def providerOf(session: SparkSession, name: String): String =
    session.sql(s"DESCRIBE TABLE EXTENDED $name").where("col_name = 'Provider'")
      .select("data_type").collect().headOption.fold("unknown")(_.getString(0).toLowerCase)
}
