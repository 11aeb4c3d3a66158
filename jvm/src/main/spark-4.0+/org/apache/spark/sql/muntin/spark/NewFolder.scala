package org.apache.spark.sql.muntin.spark

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileSystem, Path}

/** The folder of a checkpoint that is being made. */
private[spark] final class NewFolder(folder: String, conf: Configuration) {
  val path: Path = new Path(folder)
  val files: FileSystem = path.getFileSystem(conf)

  /** Returns true if the folder is absent, or has no files. */
  def isFree: Boolean = !files.exists(path) || files.listStatus(path).isEmpty

  def write(name: String, text: String): Unit = {
    val out = files.create(new Path(path, name), false)
    try out.write(text.getBytes(UTF_8))
    finally out.close()
  }

  /** Returns the result of `body`, which makes the checkpoint. If it fails, deletes the folder. */
  def orDelete[T](body: => T): T =
    try body
    catch {
      case failure: Throwable =>
        files.delete(path, true): Unit
        throw failure
    }
}
