package org.apache.spark.sql.muntin.plans.refresh

import java.nio.charset.StandardCharsets.UTF_8

import scala.io.Source
import scala.util.Using

import org.apache.hadoop.fs._

/**
 * Replaces folders of a table by folders that have been written beside them. If the process dies,
 * the next refresh completes the replacement.
 *
 *     table/day=1/…                                  day 2 is affected
 *     table/day=2/…
 *     table/_muntin_refresh/ID/day=2/…               its new files are written
 *     table/_muntin_refresh/ID/_position             up to where they are fresh
 *     table/_muntin_refresh/pending   ID day=2       from here on, the replacement is completed
 *     table/day=2                                    is deleted, and the new folder takes its place
 *     table/_muntin_position                         likewise
 *     table/_muntin_refresh                          is deleted
 *
 * @param conflict
 *   the error if another process replaces folders at the same time
 */
private[refresh] final class FolderSwap(system: FileSystem, root: Path, conflict: => Throwable) {
  import FolderSwap._

  private val work = new Path(root, "_muntin_refresh")
  private val pending = new Path(work, "pending")
  private val place = new Path(root, "_muntin_position")

  /** Returns the folder for the files of a replacement. */
  def made(id: String): Path = new Path(work, id)

  private def newPosition(id: String): Path = new Path(made(id), "_position")

  /** Returns the digest of the table's files at the last refresh, and the text of its position. */
  def position: Option[(String, String)] =
    if (!system.exists(place)) None
    else {
      val text = read(place)
      val (digest, rest) = text.splitAt(text.indexOf('\n'))
      Some((digest, rest.drop(1)))
    }

  /**
   * Writes which folders are replaced. Another replacement cannot begin before it is completed.
   *
   * @param folders
   *   the folders that are replaced
   * @param written
   *   the folders that have new files; the others are deleted
   * @param digest
   *   the digest of the table's files afterwards
   */
  def begin(
      id: String,
      folders: Seq[String],
      written: Set[String],
      digest: String,
      position: Option[String]
  ): Unit = {
    position.foreach(text => write(newPosition(id), s"$digest\n$text"))
    val lines = folders.map(folder => if (written(folder)) Replaced + folder else Deleted + folder)
    try write(pending, ((id +: lines) :+ End).mkString("\n"))
    catch {
      case _: FileAlreadyExistsException =>
        system.delete(made(id), true): Unit
        throw conflict
    }
  }

  /** Completes the replacement that has begun. Returns false if none has begun. */
  def complete(): Boolean = system.exists(pending) && {
    val lines = read(pending).split('\n').toVector
    if (lines.last == End) replaceFolders(lines.head, lines.tail.init)
    else if (system.getFileStatus(pending).getModificationTime > now - MillisToBegin) throw conflict
    // Otherwise a process has died while it wrote the list, and has replaced nothing.
    system.delete(work, true): Unit
    true
  }

  private def replaceFolders(id: String, lines: Seq[String]): Unit = {
    lines.foreach { line =>
      val folder = new Path(root, line.drop(1))
      if (line.startsWith(Deleted)) system.delete(folder, true): Unit
      else move(new Path(made(id), line.drop(1)), folder)
    }
    move(newPosition(id), place)
  }

  // A file or folder that does not exist has been moved.
  private def move(from: Path, to: Path): Unit = if (system.exists(from)) {
    system.delete(to, true): Unit
    system.mkdirs(to.getParent): Unit
    system.rename(from, to): Unit
  }

  private def now: Long = System.currentTimeMillis

  private def read(file: Path): String =
    Using.resource(system.open(file))(Source.fromInputStream(_, UTF_8.name).mkString)

  /** Writes a new file. */
  private def write(file: Path, text: String): Unit =
    Using.resource(system.create(file, false))(_.write(text.getBytes(UTF_8)))
}

private object FolderSwap {
  private val Replaced = "+"
  private val Deleted = "-"
  private val End = "end"

  /** The time that a refresh needs to write the list of folders, at most. */
  private val MillisToBegin = 60000L
}
