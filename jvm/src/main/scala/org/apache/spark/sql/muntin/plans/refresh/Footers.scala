package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.concurrent.TrieMap
import scala.util.Try

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  LogicalPlan,
  Project,
  SubqueryAlias,
  View
}
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.muntin.spark.{BatchQuery, LocalSession}
import org.apache.spark.util.ThreadUtils

/**
 * The footers of the Parquet files that one refresh reads, each read once by the driver. Spark
 * reads them in tasks, each time that it opens a file, and a refresh scans each table several
 * times for few of its rows.
 */
private[refresh] final class Footers(session: SparkSession) {
  import Footers._

  private lazy val conf = LocalSession.files(session)
  private val known = TrieMap.empty[Path, Option[Footer]]

  /** Returns the readable footers of these files; no footer if the files are many. */
  def of(paths: Seq[Path]): Map[Path, Footer] =
    if (paths.size > MostFiles) Map.empty
    else {
      val missing = paths.filterNot(known.contains).distinct
      if (missing.nonEmpty) {
        ThreadUtils.parmap(missing, "muntin-footers", math.min(Threads, missing.size)) { path =>
          known.put(path, Try(Footer.read(path, conf)).toOption)
        }: Unit
      }
      paths.flatMap(path => known(path).map(path -> _)).toMap
    }

  /** Returns the plan, which skips files of its Parquet tables by their footers. */
  def in(plan: LogicalPlan): LogicalPlan = plan.transform { case relation: LogicalRelation =>
    relation.relation match {
      case files: HadoopFsRelation if isParquet(files) =>
        over(relation, files, new FooterIndex(files.location, this))
      case _ => relation
    }
  }

  /** Returns the plan, which reads a part of the files of its Parquet tables. */
  def someFiles(plan: LogicalPlan): LogicalPlan = plan.transform { case relation: LogicalRelation =>
    indexOf(relation).fold(relation) { case (files, index) =>
      over(relation, files, index.someFiles)
    }
  }

  private def over(relation: LogicalRelation, files: HadoopFsRelation, index: FooterIndex) =
    relation.copy(relation = files.copy(location = index)(files.sparkSession))

  private def indexOf(relation: LogicalRelation): Option[(HadoopFsRelation, FooterIndex)] =
    relation.relation match {
      case files: HadoopFsRelation =>
        Some(files.location).collect { case index: FooterIndex => files -> index }
      case _ => None
    }

  /** Counts the rows of a table or a view, without a job if the footers have the number. */
  def count(table: LogicalPlan): Long =
    rowsOf(table).getOrElse(BatchQuery(session, table).count())

  /** Returns the number of rows of a table or a view if the footers have it. */
  def rowsOf(table: LogicalPlan): Option[Long] = table match {
    case _: Project | _: SubqueryAlias | _: View => rowsOf(table.children.head)
    case relation: LogicalRelation => indexOf(relation).flatMap(_._2.rows)
    case _ => None
  }

  /** Returns a place that no time in `column` is before, if the footers have it. */
  def first(table: LogicalPlan, column: Attribute): Option[Double] = table match {
    case Project(list, child) =>
      list.collectFirst {
        case a: Attribute if a.exprId == column.exprId => a
        case a @ Alias(SameColumn(c), _) if a.exprId == column.exprId => c
      }.flatMap(first(child, _))
    case _: Filter | _: SubqueryAlias | _: View => first(table.children.head, column)
    case relation: LogicalRelation => indexOf(relation).flatMap(_._2.least(column)).map(_.toDouble)
    case _ => None
  }

  // Formats that extend it, as Delta's, do not have all rows of their files.
  private def isParquet(files: HadoopFsRelation): Boolean =
    files.fileFormat.getClass == classOf[ParquetFileFormat]
}

private object Footers {

  /** The footers of at most as many files of a scan are read. */
  private val MostFiles = 10000

  private val Threads = 16
}
