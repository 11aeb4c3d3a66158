package org.apache.spark.sql.muntin.plans.refresh

import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

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

  lazy val folders: Set[String] = files.keySet.map(folderOf)

  /** Returns the files in these folders. */
  def among(folders: Set[String]): TableFiles =
    TableFiles(files.filter { case (path, _) => folders(folderOf(path)) })

  /** Returns the files after `written` has taken the place of these folders. */
  def replacing(folders: Set[String], written: TableFiles): TableFiles =
    TableFiles(files.filterNot { case (path, _) => folders(folderOf(path)) } ++ written.files)

  /** A digest of paths and lengths; a file system may give a moved file another time. */
  lazy val digest: String = {
    val made = MessageDigest.getInstance("SHA-256")
    files.toSeq.sortBy(_._1).foreach { case (path, (length, _)) =>
      made.update(s"$path\n$length\n".getBytes(UTF_8))
    }
    made.digest().map(b => f"$b%02x").mkString
  }
}

private[refresh] object TableFiles {
  private def folderOf(path: String): String = path.take(math.max(0, path.lastIndexOf('/')))

  /** Lists the files below `root`, without the hidden files and folders. */
  def in(system: FileSystem, root: Path): TableFiles = {
    val start = system.makeQualified(root).toString.stripSuffix("/") + "/"
    val found = Map.newBuilder[String, (Long, Long)]
    val listed = system.listFiles(root, true)
    while (listed.hasNext) {
      val file = listed.next()
      val path = file.getPath.toString.stripPrefix(start)
      if (!path.split('/').exists(isHidden)) {
        found += path -> (file.getLen -> file.getModificationTime)
      }
    }
    TableFiles(found.result())
  }

  // As in Spark: a partition's column may begin with an underscore.
  private def isHidden(name: String): Boolean =
    (name.startsWith("_") && !name.contains("=")) || name.startsWith(".")
}
