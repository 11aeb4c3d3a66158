package org.apache.spark.sql.muntin.plans.refresh

import java.nio.charset.StandardCharsets.UTF_8

import scala.io.Source
import scala.util.Using

import org.apache.hadoop.fs._

/**
 * Replaces folders of a table by folders that have been written beside them, and adds files to
 * others. If the process dies, a later refresh completes the replacement. Two processes never move
 * the same folders: while it moves them, a process writes `pending` again and again.
 *
 *     table/day=1/…                                  day 2 is replaced, day 3 gets a file
 *     table/day=2/…
 *     table/day=3/…
 *     table/_muntin_refresh/ID/day=2/…               the new files are written
 *     table/_muntin_refresh/ID/day=3/file
 *     table/_muntin_refresh/ID/_position             up to where they are fresh
 *     table/_muntin_refresh/pending   ID             from here on, no other replacement begins
 *     table/_muntin_refresh/ID/_folders              from here on, the replacement is completed
 *         +day=2 +day=3/file
 *     table/day=2                                    is deleted, and the new folder takes its place
 *     table/day=3/file                               the new file is moved here
 *     table/_muntin_position                         likewise
 *     table/_muntin_refresh/ID, pending              are deleted
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

  private def list(id: String): Path = new Path(made(id), "_folders")

  /** Returns the digest of the table's files at the last refresh, and the text of its position. */
  def position: Option[(String, String)] =
    if (!system.exists(place)) None
    else {
      val text = read(place)
      val (digest, rest) = text.splitAt(text.indexOf('\n'))
      Some((digest, rest.drop(1)))
    }

  /**
   * Replaces folders and adds files.
   *
   * @param paths
   *   the folders that are replaced, and the files that are added
   * @param isWritten
   *   whether a path has been written; other folders are deleted
   * @param digest
   *   the digest of the table's files afterwards
   * @param isUnchanged
   *   whether the table's files in these folders are the files before the refresh
   */
  def replace(
      id: String,
      paths: Seq[String],
      isWritten: String => Boolean,
      digest: String,
      position: Option[String],
      isUnchanged: => Boolean
  ): Unit = {
    position.foreach(text => write(newPosition(id), s"$digest\n$text"))
    try write(pending, id)
    catch {
      case _: FileAlreadyExistsException =>
        system.delete(made(id), true): Unit
        throw conflict
    }
    if (!isUnchanged) {
      release(id)
      throw conflict
    }
    val lines = paths.map(path => if (isWritten(path)) Written + path else Deleted + path)
    write(list(id), (lines :+ End).mkString("\n"))
    move(id, lines)
  }

  /**
   * Completes the replacement of a process that has died. Returns false if there is none. Throws
   * the error of a conflict if the process may be alive.
   */
  def complete(): Boolean = system.exists(pending) && {
    if (system.getFileStatus(pending).getModificationTime > now - MillisOfSilence) throw conflict
    val id = read(pending)
    val lines =
      if (id.isEmpty || !system.exists(list(id))) Nil else read(list(id)).split('\n').toSeq
    // Without the whole list, the process has replaced nothing.
    if (lines.lastOption.contains(End)) move(id, lines.init) else release(id)
    true
  }

  private def move(id: String, lines: Seq[String]): Unit = {
    var alive = 0L
    lines.foreach { line =>
      if (now > alive + MillisOfSilence / 20) {
        write(pending, id, overwrite = true)
        alive = now
      }
      val path = new Path(root, line.drop(1))
      if (line.startsWith(Deleted)) system.delete(path, true): Unit
      else move(new Path(made(id), line.drop(1)), path)
    }
    move(newPosition(id), place)
    release(id)
  }

  // Another refresh may be writing its files.
  private def release(id: String): Unit = {
    if (id.nonEmpty) system.delete(made(id), true): Unit
    system.delete(pending, false): Unit
    val others = system.listStatus(work)
    val old = others.filter(_.getModificationTime < now - MillisToWrite)
    old.foreach(folder => system.delete(folder.getPath, true))
    if (others.length == old.length) system.delete(work, false): Unit
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

  private def write(file: Path, text: String, overwrite: Boolean = false): Unit =
    Using.resource(system.create(file, overwrite))(_.write(text.getBytes(UTF_8)))
}

private object FolderSwap {
  private val Written = "+"
  private val Deleted = "-"
  private val End = "end"

  /** A process that has not written `pending` for this time has died. */
  private val MillisOfSilence = 600000L

  /** The time that a refresh needs to write its files, at most. */
  private val MillisToWrite = 7 * 24 * 3600 * 1000L
}
