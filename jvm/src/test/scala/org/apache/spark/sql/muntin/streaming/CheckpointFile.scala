package org.apache.spark.sql.muntin.streaming

import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.nio.file.attribute.FileTime
import java.util.zip.{GZIPInputStream, ZipInputStream}

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

  val Emitted = "emitted.txt"
  val FolderName = "folder.txt"
  val Checkpoint = "checkpoint"
  val Folder: Path = Path.of("src", "test", "resources", "checkpoints")
  val Epoch: FileTime = FileTime.fromMillis(0L)

  /** The files of this Spark and of the Sparks before it, the oldest first. */
  def stored: Seq[Path] =
    Files.list(Folder).toScala(Seq).sorted.filter(_.getFileName.toString <= fileOf(ThisJar.SPARK))

  def fileOf(spark: String): String = s"spark-$spark$Suffix"

  def sparkOf(file: Path): String = file.getFileName.toString.stripSuffix(Suffix)

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
