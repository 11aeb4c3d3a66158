package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.muntin.spark.{BatchQuery, MuntinAnalysisException}

/** A table of results. */
private[refresh] abstract class RefreshTarget(session: SparkSession, name: String) {

  /** The rows of the table. They are opened when they are read for the first time. */
  final lazy val rows: LogicalPlan = BatchQuery.plan(session.table(name))

  /** The columns whose values decide which files a result is in. */
  def partitioning: Seq[String]

  /** Returns up to where the results are fresh. */
  def stored: StoredPosition

  /** Counts the rows of tables by their partitions, in one job. */
  final def count(tables: DataFrame*): Seq[PartitionCounts] = {
    val counted = tables.zipWithIndex.map { case (rows, i) =>
      val by = partitioning.map { name =>
        if (rows.columns.contains(name)) rows(name)
        else lit(null).cast(this.rows.schema(name).dataType).as(name)
      }
      rows.select(lit(i).as("table") +: by: _*)
    }.reduce(_ union _)
    val counts = counted.groupBy(counted.columns.toSeq.map(counted(_)): _*).count().collect().toSeq
    tables.indices.map { i =>
      val found = counts.filter(_.getInt(0) == i).map(_.toSeq)
      PartitionCounts(
        found.map(row => Row.fromSeq(row.slice(1, row.size - 1))).toSet,
        found.map(_.last.asInstanceOf[Long]).sum
      )
    }
  }

  /** Returns which part of the table is written again if rows of these partitions are replaced. */
  def rewritten(former: PartitionCounts): Double

  /**
   * Replaces the rows in the stretches by `results`, and stores the position.
   *
   * @param deleted
   *   the counts of the replaced rows
   * @param inserted
   *   the counts of `results`
   */
  def replace(
      stretches: Stretches,
      results: DataFrame,
      deleted: PartitionCounts,
      inserted: PartitionCounts,
      position: Option[RefreshPosition]
  ): Unit

  /** Replaces all rows by `results`, and stores the position. */
  def replaceAll(results: DataFrame, position: Option[RefreshPosition]): Unit
}

/**
 * A number of rows.
 *
 * @param partitions
 *   their values of the columns of `partitioning`
 */
private[refresh] final case class PartitionCounts(partitions: Set[Row], rows: Long)

private[refresh] object RefreshTarget {
  private val Files = Set("parquet", "orc")

  /** Returns the table with this name, whose columns must be the columns of the query. */
  def of(session: SparkSession, name: String, output: Seq[Attribute]): RefreshTarget = {
    val opened = BatchQuery.plan(session.table(name))
    def error(condition: String, parameters: (String, String)*) =
      new MuntinAnalysisException(condition, ("target" -> name) +: parameters: _*)
    val columns = opened.output.map(NamedType.of(_))
    val wanted = output.map(NamedType.of(_))
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
    session.sql(s"DESCRIBE TABLE EXTENDED $name").collect()
      .collectFirst { case Row("Provider", provider: String, _) => provider.toLowerCase }
      .getOrElse("unknown")
}
