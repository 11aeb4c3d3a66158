package org.apache.spark.sql.muntin.plans.refresh

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.io.Source
import scala.util.Using

import org.apache.hadoop.fs._
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalogUtils}
import org.apache.spark.sql.catalyst.expressions.EqualNullSafe
import org.apache.spark.sql.catalyst.plans.LeftSemi
import org.apache.spark.sql.execution.datasources.HadoopFsRelation
import org.apache.spark.sql.muntin.spark.{BatchQuery, JoinOn, LocalSession, MuntinAnalysisException}

/**
 * A table of files in folders of partitions: whole partitions are replaced.
 *
 *     table/day=1/…                                  day 2 is affected
 *     table/day=2/…
 *     table/_muntin_refresh/ID/day=2/…               its new files are written
 *     table/_muntin_refresh/pending   ID day=2       from here on, the refresh is completed, also
 *                                                    by the next refresh after a failure
 *     table/day=2                                    is deleted, and the new folder takes its place
 *     table/_muntin_refresh                          is deleted
 */
private[refresh] final class PartitionedTarget(
    session: SparkSession,
    name: String,
    files: HadoopFsRelation,
    table: CatalogTable
) extends RefreshTarget(session, name) {
  import PartitionedTarget._

  private val root = files.location.rootPaths.head
  private val configuration = LocalSession.files(session)
  private val system: FileSystem = root.getFileSystem(configuration)
  private val work = new Path(root, "_muntin_refresh")
  private val pending = new Path(work, "pending")
  private val by = table.partitionColumnNames

  // Before the rows are opened.
  complete()

  override def replace(stretches: Stretches, results: DataFrame): Unit = {
    val former = BatchQuery(session, stretches.affected(rows))
    val partitions = former.select(by.map(former(_)): _*)
      .union(results.select(by.map(results(_)): _*)).distinct().localCheckpoint()
    val folders = partitions.selectExpr(by.map(c => s"CAST(`$c` AS STRING)"): _*).collect().toSeq
      .map { row =>
        by.indices.map(i => ExternalCatalogUtils.getPartitionPathString(by(i), row.getString(i)))
          .mkString("/")
      }
    val before = listed(folders)
    val id = UUID.randomUUID.toString
    val content = BatchQuery(session, ofPartitions(stretches, partitions))
      .unionByName(results)
    content.write.format(table.provider.get).options(table.storage.properties)
      .partitionBy(by: _*).save(new Path(work, id).toString)
    if (listed(folders) != before) {
      system.delete(new Path(work, id), true): Unit
      throw conflict
    }
    begin(id, folders)
    complete()
  }

  /** Returns the rows of these partitions that are not affected. */
  private def ofPartitions(stretches: Stretches, partitions: DataFrame) = {
    val others = stretches.unaffected(rows)
    val there = BatchQuery.plan(partitions)
    val same = by.zip(there.output).map { case (name, p) =>
      EqualNullSafe(others.output.find(_.name == name).get, p)
    }
    JoinOn(others, there, LeftSemi, Stretches.and(same).get)
  }

  private def listed(folders: Seq[String]): Set[(String, Long, Long)] = folders.flatMap { folder =>
    val path = new Path(root, folder)
    if (!system.exists(path)) Nil
    else {
      system.listStatus(path).toSeq
        .map(f => (f.getPath.toString, f.getLen, f.getModificationTime))
    }
  }.toSet

  /** Writes which folders the refresh replaces. Another refresh cannot begin before it is done. */
  private def begin(id: String, folders: Seq[String]): Unit = {
    val made = new Path(work, id)
    val lines = folders.map { folder =>
      if (system.exists(new Path(made, folder))) Replaced + folder else Deleted + folder
    }
    try Using.resource(system.create(pending, false)) {
        _.write(((id +: lines) :+ End).mkString("\n").getBytes(UTF_8))
      }
    catch {
      case _: FileAlreadyExistsException =>
        system.delete(made, true): Unit
        throw conflict
    }
  }

  /** Completes the refresh that has begun, if there is one. */
  private def complete(): Unit = if (system.exists(pending)) {
    val lines = Using.resource(system.open(pending)) {
      Source.fromInputStream(_, UTF_8.name).getLines().toVector
    }
    if (lines.lastOption.contains(End)) replaceFolders(lines.head, lines.tail.init)
    else if (system.getFileStatus(pending).getModificationTime > now - MillisToBegin) throw conflict
    // Otherwise a process has died while it wrote the list, and has replaced nothing.
    system.delete(work, true): Unit
    if (table.tracksPartitionsInCatalog) session.catalog.recoverPartitions(name)
    session.catalog.refreshTable(name)
  }

  private def now: Long = System.currentTimeMillis

  private def replaceFolders(id: String, lines: Seq[String]): Unit = lines.foreach { line =>
    val folder = new Path(root, line.drop(1))
    if (line.startsWith(Deleted)) system.delete(folder, true): Unit
    else {
      val written = new Path(new Path(work, id), line.drop(1))
      // Otherwise it has been moved.
      if (system.exists(written)) {
        system.delete(folder, true): Unit
        system.mkdirs(folder.getParent): Unit
        system.rename(written, folder): Unit
      }
    }
  }

  private def conflict =
    new MuntinAnalysisException("MUNTIN_REFRESH_CONFLICT", "target" -> name)
}

private object PartitionedTarget {
  private val Replaced = "+"
  private val Deleted = "-"
  private val End = "end"

  /** The time that a refresh needs to write the list of folders, at most. */
  private val MillisToBegin = 60000L
}
