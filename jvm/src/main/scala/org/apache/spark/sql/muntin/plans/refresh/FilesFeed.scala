package org.apache.spark.sql.muntin.plans.refresh

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

  override lazy val position: String = JsonMap.write(listed).toString

  override def rows: DataFrame = BatchQuery(
    session,
    relation.copy(relation = files.copy(location = index)(files.sparkSession))
  )

  override def changesSince(position: String): Option[DataFrame] = {
    val before = JsonMap.read(JsonMap.parse(position))
    if (before.exists { case (path, state) => !listed.get(path).contains(state) }) None
    else Some(read((listed.keySet -- before.keySet).toSeq.sorted))
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
  def of(
      session: SparkSession,
      relation: LogicalRelation,
      files: HadoopFsRelation
  ): Option[FilesFeed] = {
    // Formats that extend these, as Delta's, do not have all rows of their files.
    val formats = Map[Class[_], String](
      classOf[ParquetFileFormat] -> "parquet",
      classOf[OrcFileFormat] -> "orc"
    )
    formats.get(files.fileFormat.getClass).map(new FilesFeed(session, relation, files, _))
  }
}
