package org.apache.spark.sql.muntin.plans.refresh

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.StructType

/**
 * The files of a Parquet table, without the files whose footers contradict the filters of a scan.
 *
 *     t >= 900     part-0  100 … 400     is skipped
 *                  part-1  350 … 950     is scanned
 *
 * @param every
 *   one of as many files is listed
 */
private[refresh] final class FooterIndex(base: FileIndex, footers: Footers, every: Int = 1)
    extends FileIndex {
  override def listFiles(
      partitionFilters: Seq[Expression],
      dataFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val listed = some(base.listFiles(partitionFilters, dataFilters))
    val bounds = dataFilters.flatMap(ColumnBound.of)
    val skipped =
      if (bounds.isEmpty) Set.empty[Path]
      else footers.of(pathsOf(listed)).filterNot(f => bounds.forall(f._2.mayHave)).keySet
    if (skipped.isEmpty) listed else among(listed)(!skipped(_))
  }

  private def among(listed: Seq[PartitionDirectory])(
      isKept: Path => Boolean
  ): Seq[PartitionDirectory] =
    listed.map(part => part.copy(files = part.files.filter(f => isKept(f.getPath))))
      .filter(_.files.nonEmpty)

  private def some(listed: Seq[PartitionDirectory]): Seq[PartitionDirectory] =
    if (every == 1) listed
    else {
      val kept = pathsOf(listed).zipWithIndex.collect { case (p, i) if i % every == 0 => p }.toSet
      among(listed)(kept)
    }

  /** Returns the same files, without most of them if they are many. */
  def someFiles: FooterIndex = {
    val every = pathsOf(base.listFiles(Nil, Nil)).size / FooterIndex.SomeFiles
    new FooterIndex(base, footers, math.max(1, every))
  }

  /** Returns the number of rows of all files; None if the footers do not have it. */
  def rows: Option[Long] = {
    val paths = pathsOf(some(base.listFiles(Nil, Nil)))
    val found = footers.of(paths)
    if (found.size == paths.size) Some(found.values.map(_.rows).sum) else None
  }

  /** Returns the least value of a column in all files; None if the footers do not have it. */
  def least(column: Attribute): Option[Long] = {
    val paths = pathsOf(some(base.listFiles(Nil, Nil)))
    val ranges = footers.of(paths).values.flatMap(_.ranges.get(column.name))
      .filter(_.isOf(column.dataType))
    if (ranges.size == paths.size) ranges.map(_.least).minOption else None
  }

  private def pathsOf(listed: Seq[PartitionDirectory]): Seq[Path] =
    listed.flatMap(_.files.map(_.getPath))

  override def rootPaths: Seq[Path] = base.rootPaths
  override def inputFiles: Array[String] = base.inputFiles
  override def refresh(): Unit = base.refresh()
  override def sizeInBytes: Long = base.sizeInBytes
  override def partitionSchema: StructType = base.partitionSchema
  override def metadataOpsTimeNs: Option[Long] = base.metadataOpsTimeNs
}

private object FooterIndex {

  /** A part of the files has at least as many. */
  private val SomeFiles = 8
}
