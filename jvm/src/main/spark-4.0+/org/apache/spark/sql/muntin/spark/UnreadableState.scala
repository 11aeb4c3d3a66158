package org.apache.spark.sql.muntin.spark

import scala.reflect.ClassTag
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.hadoop.fs.{FileSystem, Path}
import org.apache.spark.{Partition, SparkEnv, SparkThrowable, TaskContext}
import org.apache.spark.deploy.SparkHadoopUtil
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.muntin.errors.FailureText

/**
 * Replaces Spark's error for a state store that cannot be loaded by an error that shows the
 * operator, the partition, the files, and the last micro-batch without a missing or empty file.
 */
private[spark] object UnreadableState {

  /** Returns the rows, whose tasks load the state of an operator. */
  def reported[T: ClassTag](rows: RDD[T], place: StatefulOperatorStateInfo): RDD[T] =
    new ReportingRDD(rows, place)

  /** Returns the result of `load`, which loads the state of a partition. */
  def report[T](place: StatefulOperatorStateInfo, partition: Int)(load: => T): T =
    try load
    catch {
      case NonFatal(failure) if isUnreadable(failure) =>
        val batch = place.storeVersion - 1L
        val folder = new Path(place.checkpointLocation, s"${place.operatorId}/$partition")
        val files = Try(new StateFiles(filesOf(folder), folder)).toOption
        throw new MuntinRuntimeException(
          "MUNTIN_STATE_UNREADABLE",
          Map(
            "checkpoint" -> new Path(place.checkpointLocation).getParent.toString,
            "operator" -> place.operatorId.toString,
            "partition" -> partition.toString,
            "batch" -> batch.toString,
            "folder" -> folder.toString,
            "files" -> files.fold("unknown")(_.of(place.storeVersion).mkString(", ")),
            "problem" -> FailureText(failure),
            "whole" -> files.flatMap(_.lastComplete(place.storeVersion))
              .fold("unknown")(version => (version - 1L).toString)
          ),
          failure
        )
    }

  private def isUnreadable(failure: Throwable): Boolean =
    FailureText.causes(failure).exists {
      case spark: SparkThrowable =>
        val condition = String.valueOf(spark.getCondition)
        condition.startsWith("CANNOT_LOAD_STATE_STORE") && !condition.contains("UNRELEASED_THREAD")
      case _ => false
    }

  private def filesOf(folder: Path): FileSystem =
    folder.getFileSystem(SparkHadoopUtil.get.newConfiguration(SparkEnv.get.conf))

  private final class ReportingRDD[T: ClassTag](rows: RDD[T], place: StatefulOperatorStateInfo)
      extends RDD[T](rows) {
    override val partitioner = rows.partitioner

    override protected def getPartitions: Array[Partition] = rows.partitions

    override def compute(split: Partition, context: TaskContext): Iterator[T] =
      report(place, split.index)(rows.iterator(split, context))
  }
}

/**
 * The files of a partition's state: snapshots, and logs of the changes after them.
 *
 *     3.zip, 4.changelog, 6.changelog     version 4 is whole, versions 5 and 6 lack 5.changelog
 */
private[spark] final class StateFiles(files: FileSystem, folder: Path) {
  import StateFiles._

  private val found: Seq[(Long, String, Path, Boolean)] =
    files.listStatus(folder).toSeq.flatMap { status =>
      status.getPath.getName match {
        case Name(version, kind) =>
          Some((version.toLong, kind, status.getPath, status.getLen == 0L))
        case _ => None
      }
    }

  /** Returns the files that a version needs; missing and empty files are marked. */
  def of(version: Long): Seq[String] = {
    val snapshot = found.filter(f => f._2 == Snapshot && f._1 <= version).map(_._1).maxOption
    val ofSnapshot = snapshot.toSeq.flatMap(shown(_, Snapshot))
    val changes = (snapshot.getOrElse(0L) + 1L to version).flatMap { v =>
      val there = shown(v, Changes)
      if (there.isEmpty) Seq(s"$v.$Changes (missing)") else there
    }
    ofSnapshot ++ changes
  }

  /** Returns the last version before `version` for which no file is missing or empty. */
  def lastComplete(version: Long): Option[Long] =
    (version - 1L to math.max(1L, version - MostVersions) by -1L)
      .find(v => !of(v).exists(_.endsWith(")")))

  private def shown(version: Long, kind: String): Seq[String] =
    found.filter(f => f._1 == version && f._2 == kind).map { case (_, _, path, isEmpty) =>
      path.getName + (if (isEmpty) " (empty)" else "")
    }
}

private object StateFiles {
  private val Snapshot = "zip"
  private val Changes = "changelog"
  private val Name = "(\\d+)(?:_[^.]+)?\\.(zip|changelog)".r

  /** Spark keeps the files of about 100 micro-batches. */
  private val MostVersions = 1000L
}
