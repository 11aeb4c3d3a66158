package org.apache.spark.sql.muntin.plans.refresh

import java.util.UUID

import org.apache.hadoop.fs._
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.{Cast, CreateNamedStruct, In, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan}
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.muntin.spark.{BatchQuery, LocalSession, MuntinAnalysisException}
import org.apache.spark.sql.types.StringType

/**
 * A table of files in folders of partitions. Partitions with rows that are replaced are written
 * again, and others get more files (`FolderSwap`).
 */
private[refresh] final class PartitionedTarget(
    session: SparkSession,
    name: String,
    files: HadoopFsRelation,
    table: CatalogTable
) extends RefreshTarget(session, name) {
  private val root = files.location.rootPaths.head
  private val system: FileSystem = root.getFileSystem(LocalSession.files(session))
  private val swap = new FolderSwap(system, root, conflict)

  override val partitioning: Seq[String] = table.partitionColumnNames

  /** The files before the refresh. */
  private lazy val before = TableFiles.in(system, root)

  // Before the rows are opened.
  if (swap.complete()) reopened(hasOtherPartitions = true)

  override def stored: StoredPosition = swap.position match {
    case None => StoredPosition.Unknown
    case Some((digest, _)) if digest != before.digest => StoredPosition.Overwritten
    case Some((_, text)) => StoredPosition.Fresh(RefreshPosition.of(text))
  }

  override def replace(
      stretches: Stretches,
      results: DataFrame,
      deleted: PartitionCounts,
      inserted: PartitionCounts,
      position: Option[RefreshPosition]
  ): Unit = {
    val replaced = deleted.partitions ++ inserted.partitions.filter(hasManyFiles)
    val rows =
      if (replaced.isEmpty) results
      else {
        val others = stretches.unaffected(among(replaced.toSeq))
        BatchQuery(session, others).unionByName(results)
      }
    write(rows, replaced.map(folderOf), position)
  }

  /** Returns true if a partition has enough files for fewer files to be better. */
  private def hasManyFiles(partition: Row): Boolean =
    before.filesOf(folderOf(partition)) >= PartitionedTarget.ManyFiles

  override def rewritten(former: PartitionCounts): Double = {
    val bytes = before.bytes
    if (bytes == 0) 0.0 else before.among(former.partitions.map(folderOf)).bytes / bytes
  }

  override def replaceAll(results: DataFrame, position: Option[RefreshPosition]): Unit =
    write(results, before.folders, position)

  /** Returns the rows of these partitions. */
  private def among(partitions: Seq[Row]): LogicalPlan = {
    val columns = partitioning.map(name => rows.output.find(_.name == name).get)
    // Structs are equal if their nulls are equal.
    val partition = CreateNamedStruct(columns.flatMap(c => Seq(Literal(c.name), c)))
    val there = partitions.map(Literal.create(_, partition.dataType))
    Filter(In(partition, there), rows)
  }

  private def folderOf(partition: Row): String = partitioning.zipWithIndex.map { case (name, i) =>
    val value = Literal.create(partition.get(i), files.partitionSchema(name).dataType)
    val text = Cast(value, StringType, Some(LocalSession.conf(session).sessionLocalTimeZone)).eval()
    ExternalCatalogUtils.getPartitionPathString(name, if (text == null) null else text.toString)
  }.mkString("/")

  /** Replaces `folders` by the rows, and adds the rows of other folders. */
  private def write(
      rows: DataFrame,
      folders: Set[String],
      position: Option[RefreshPosition]
  ): Unit = {
    val id = UUID.randomUUID.toString
    val made = swap.made(id)
    rows.write.format(table.provider.get).options(table.storage.properties)
      .partitionBy(partitioning: _*).save(made.toString)
    val written = TableFiles.in(system, made)
    val changed = folders ++ written.folders
    val added = (written.folders & before.folders) -- folders
    val after = before.replacing(changed -- added, written)
    swap.replace(
      id,
      (changed -- added).toSeq.sorted ++ written.among(added).files.keys.toSeq.sorted,
      isWritten = path => written.folders(path) || written.files.contains(path),
      after.digest,
      position.map(_.text),
      isUnchanged = TableFiles.in(system, root, changed) == before.among(changed)
    )
    reopened(hasOtherPartitions = before.folders != after.folders)
  }

  private def reopened(hasOtherPartitions: Boolean): Unit = {
    if (hasOtherPartitions && table.tracksPartitionsInCatalog) {
      session.sql(s"MSCK REPAIR TABLE $name SYNC PARTITIONS"): Unit
    }
    session.catalog.refreshTable(name)
  }

  private def conflict =
    new MuntinAnalysisException("MUNTIN_REFRESH_CONFLICT", "target" -> name)
}

private object PartitionedTarget {
  private val ManyFiles = 100
}
