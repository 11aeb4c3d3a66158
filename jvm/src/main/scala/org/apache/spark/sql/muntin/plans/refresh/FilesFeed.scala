package org.apache.spark.sql.muntin.plans.refresh

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.muntin.spark.BatchQuery

/**
 * Files of Parquet or ORC. A position is the list of the files, and rows arrive in new files. If a
 * file has been deleted or overwritten, its former rows are unknown.
 */
private[refresh] final class FilesFeed(
    session: SparkSession,
    relation: LogicalRelation,
    files: HadoopFsRelation,
    format: String
) extends ChangeFeed {
  import FilesFeed._

  // A catalog would list the files again when the query runs.
  private lazy val index = files.location match {
    case catalog: CatalogFileIndex => catalog.filterPartitions(Nil)
    case other => other
  }

  override val table: String = s"$format:${files.location.rootPaths.sorted.mkString(",")}"

  /** The length and the time of change of each file, by its path. */
  private lazy val listed: Map[String, String] =
    index.listFiles(Nil, Nil).flatMap(_.files).map { file =>
      file.getPath.toString -> s"${file.getLen} ${file.getModificationTime}"
    }.toMap

  override lazy val position: String = {
    val root = mapper.createObjectNode()
    listed.toSeq.sorted.foreach { case (path, state) => root.put(path, state): Unit }
    root.toString
  }

  override def rows: DataFrame = BatchQuery(
    session,
    relation.copy(relation = files.copy(location = index)(files.sparkSession))
  )

  override def changesSince(position: String): Option[DataFrame] = {
    val before = mapper.readTree(position).properties.asScala
      .map(file => file.getKey -> file.getValue.asText).toMap
    if (before.exists { case (path, state) => !listed.get(path).contains(state) }) None
    else {
      val added = (listed.keySet -- before.keySet).toSeq.sorted
      if (added.isEmpty) Some(rows.limit(0)) else Some(read(added))
    }
  }

  private def read(paths: Seq[String]): DataFrame = {
    val base = files.location.rootPaths match {
      case Seq(root) => Map("basePath" -> root.toString)
      case _ => Map.empty[String, String]
    }
    session.read.format(
      format
    ).options(files.options - "path" - "paths" ++ base).schema(relation.schema)
      .load(paths: _*)
  }
}

private[refresh] object FilesFeed {
  private val mapper = new ObjectMapper()

  def of(
      session: SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): Option[FilesFeed] = {
    val format = files.fileFormat match {
      case _: ParquetFileFormat => Some("parquet")
      case _: OrcFileFormat => Some("orc")
      case _ => None
    }
    format.map(new FilesFeed(session, relation, files, _))
  }
}
