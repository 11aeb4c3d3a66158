package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.muntin.spark.{BatchQuery, MuntinAnalysisException}

/** A table of results. */
private[refresh] abstract class RefreshTarget(session: SparkSession, name: String) {

  /** The rows of the table. They are opened when they are read for the first time. */
  final lazy val rows: LogicalPlan = BatchQuery.plan(session.table(name))

  /** Replaces the rows in the stretches by `results`. */
  def replace(stretches: Stretches, results: DataFrame): Unit
}

private[refresh] object RefreshTarget {
  private val Merging = Set("delta", "iceberg")
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
    val partitioned = opened.collectFirst {
      case relation: LogicalRelation => (relation.relation, relation.catalogTable)
    }.collect {
      case (files: HadoopFsRelation, Some(table))
          if table.partitionColumnNames.nonEmpty && table.bucketSpec.isEmpty &&
            Files(provider) =>
        new PartitionedTarget(session, name, files, table)
    }
    if (Merging(provider)) new MergeTarget(session, name)
    else partitioned.getOrElse(throw error("MUNTIN_REFRESH_TARGET_FORMAT", "format" -> provider))
  }

  private def providerOf(session: SparkSession, name: String): String =
    session.sql(s"DESCRIBE TABLE EXTENDED $name").where("col_name = 'Provider'")
      .select("data_type").collect().headOption.fold("unknown")(_.getString(0).toLowerCase)
}
