package org.apache.spark.sql.muntin.plans.refresh

import org.apache.hadoop.fs.{FileSystem, Path}

/**
 * The data files in the folders of a table.
 *
 * @param files
 *   the path of each file below the table, its length and its time of change
 */
private[refresh] final case class TableFiles(files: Map[String, (Long, Long)]) {
  import TableFiles._

  def bytes: Double = files.values.map(_._1.toDouble).sum

  def folders: Set[String] = counts.keySet

  private lazy val counts: Map[String, Int] =
    files.keys.groupBy(folderOf).map { case (folder, paths) => folder -> paths.size }

  /** Returns the number of files in a folder. */
  def filesOf(folder: String): Int = counts.getOrElse(folder, 0)

  /** Returns the files in these folders. */
  def among(folders: Set[String]): TableFiles =
    TableFiles(files.filter { case (path, _) => folders(folderOf(path)) })

  /** Returns the files after `written` has taken the place of these folders. */
  def replacing(folders: Set[String], written: TableFiles): TableFiles =
    TableFiles(files.filterNot { case (path, _) => folders(folderOf(path)) } ++ written.files)

  /** A digest of paths and lengths; a file system may give a moved file another time. */
  lazy val digest: String = Digest(
    files.toSeq.sortBy(_._1).map { case (path, (length, _)) => s"$path\n$length\n" }.mkString
  )
}

private[refresh] object TableFiles {
  private def folderOf(path: String): String = path.take(math.max(0, path.lastIndexOf('/')))

  /** Lists the files below `root`, without the hidden files and folders. */
  def in(system: FileSystem, root: Path): TableFiles = below(system, root, Seq(""))

  /** Lists the files in these folders below `root`. */
  def in(system: FileSystem, root: Path, folders: Set[String]): TableFiles =
    below(system, root, folders.toSeq.filter(folder => system.exists(new Path(root, folder))))

  // listFiles starts a process for each file of a local file system.
  private def below(system: FileSystem, root: Path, folders: Seq[String]): TableFiles = {
    val found = Map.newBuilder[String, (Long, Long)]
    def walk(folder: String): Unit = {
      val path = if (folder.isEmpty) root else new Path(root, folder)
      for (status <- system.listStatus(path) if !isHidden(status.getPath.getName)) {
        val name = status.getPath.getName
        val child = if (folder.isEmpty) name else s"$folder/$name"
        if (status.isDirectory) walk(child)
        else found += child -> (status.getLen -> status.getModificationTime)
      }
    }
    folders.foreach(walk)
    TableFiles(found.result())
  }

  // As in Spark: a partition's column may begin with an underscore.
  private def isHidden(name: String): Boolean =
    (name.startsWith("_") && !name.contains("=")) || name.startsWith(".")
}
