package org.apache.spark.sql.muntin.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.zip._

import scala.jdk.StreamConverters._

import org.apache.spark.sql.muntin.ThisJar

/** The checkpoints that a Spark has written, one of each kind of query (StoredCheckpointsSuite). */
final class CheckpointFile private (entries: Map[String, Array[Byte]]) {
  import CheckpointFile._

  def of(kind: String): Stored = new Stored(kind)

  /** The checkpoint of a kind. */
  final class Stored(kind: String) {
    private def text(name: String): String = new String(entries(s"$kind/$name"), UTF_8)

    /** How many results the query had emitted. */
    def emitted: Int = text(Emitted).toInt

    /** Extracts the checkpoint. Spark's metadata names files by their absolute path. */
    def extractTo(folder: Path): Path = {
      val (before, now) = (text(FolderName), folder.toString)
      val prefix = s"$kind/$Checkpoint/"
      entries.filter(_._1.startsWith(prefix)).foreach { case (name, bytes) =>
        val file = folder.resolve(name.stripPrefix(prefix))
        Files.createDirectories(file.getParent)
        val isMetadata = file.toString.contains("_metadata")
        Files.write(
          file,
          if (isMetadata) new String(bytes, UTF_8).replace(before, now).getBytes(UTF_8) else bytes
        )
      }
      folder
    }
  }
}

object CheckpointFile {
  private val Suffix = ".zip.gz"

  private val Emitted = "emitted.txt"
  private val FolderName = "folder.txt"
  private val Checkpoint = "checkpoint"
  private val Epoch: FileTime = FileTime.fromMillis(0L)

  private val Resources: Path = Path.of("src", "test", "resources")
  val Folder: Path = Resources.resolve("checkpoints")

  /** The folder of the checkpoints of real-time mode. */
  val RealTimeFolder: Path = Resources.resolve("real-time-checkpoints")

  /** The files of this Spark and of the Sparks before it, the oldest first. */
  def stored: Seq[Path] = storedIn(Folder)

  def storedIn(folder: Path): Seq[Path] =
    Files.list(folder).toScala(Seq).sorted.filter(_.getFileName.toString <= fileOf(ThisJar.SPARK))

  def fileOf(spark: String): String = s"spark-$spark$Suffix"

  def sparkOf(file: Path): String = file.getFileName.toString.stripSuffix(Suffix)

  /**
   * Writes checkpoints to a file, each with its name and the number of results that the query had
   * emitted.
   */
  def write(file: Path, checkpoints: Iterator[(String, Int, Path)]): Unit = {
    val zip = new ZipOutputStream(new GZIPOutputStream(Files.newOutputStream(file)))
    // Compressed as a whole, since the files of all checkpoints are similar.
    zip.setLevel(Deflater.NO_COMPRESSION)
    def put(name: String, bytes: Array[Byte]): Unit = {
      // Equal checkpoints are equal files.
      zip.putNextEntry(new ZipEntry(name).setLastModifiedTime(Epoch))
      zip.write(bytes)
      zip.closeEntry()
    }
    try
      checkpoints.foreach { case (name, emitted, checkpoint) =>
        put(s"$name/$Emitted", emitted.toString.getBytes(UTF_8))
        put(s"$name/$FolderName", checkpoint.toString.getBytes(UTF_8))
        Files.walk(checkpoint).toScala(Seq).filter(isStored).sorted.foreach { file =>
          put(s"$name/$Checkpoint/${checkpoint.relativize(file)}", Files.readAllBytes(file))
        }
      }
    finally zip.close()
  }

  // The local file system's checksums would fail for altered files.
  private def isStored(file: Path): Boolean =
    Files.isRegularFile(file) && !file.getFileName.toString.endsWith(".crc")

  def apply(file: Path): CheckpointFile = {
    val zip = new ZipInputStream(new GZIPInputStream(Files.newInputStream(file)))
    try
      new CheckpointFile(
        Iterator.continually(zip.getNextEntry).takeWhile(_ != null)
          .map(entry => entry.getName -> zip.readAllBytes()).toMap
      )
    finally zip.close()
  }
}
