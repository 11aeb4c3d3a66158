package org.apache.spark.sql.muntin.spark

import java.nio.charset.StandardCharsets.UTF_8
import java.util.UUID

import scala.collection.mutable

import org.apache.hadoop.fs.{FileUtil, Path}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.internal.SQLConf

/**
 * A copy of a checkpoint in another folder, with other state. The copy continues with the
 * micro-batch after the last one of `from`, or repeats it if it was planned and not committed. With
 * `restoredAs`, the last micro-batch of `from` has this number in the copy, and no other follows.
 *
 *     copyOffsets;  copyStates, of Spark operators;  writeState, for each operator of windows
 *     copyOperators;  finish: the copy is a checkpoint
 *     of a changed query: without copyOperators
 *     of a history (HistoryBatch): copyOffsetsWith;  takeState, for each operator;  finish
 *     orDelete, around them: if they fail, nothing is left
 *
 * A state store begins with version 0, and its first commit writes version 1. The files of this
 * version are renamed to the version of the checkpoint: they are a snapshot, which no earlier
 * version is needed for.
 */
final class CheckpointCopy(from: StoredCheckpoint, to: String, restoredAs: Option[Long] = None) {
  import CheckpointCopy._

  private val session = from.session
  private val conf = session.sessionState.newHadoopConf()
  private val copied = from.last.number
  private val last = restoredAs.getOrElse(copied)
  private val source = new Path(from.last.checkpoint)
  private val copy = new NewFolder(to, conf)
  private val target = copy.path
  private val sourceFiles = source.getFileSystem(conf)
  private val targetFiles = copy.files
  private val partitions = mutable.TreeMap.empty[Long, Int]
  // For each partition of an operator, the ids of its state stores.
  private val ids = mutable.TreeMap.empty[Long, Seq[Seq[String]]]

  /** Returns true if the folder is absent, or has no files. */
  def isFree: Boolean = copy.isFree

  /**
   * Writes the state of the operator with this number: `write` receives the state of each
   * partition, which is empty, and the partition's rows. Returns its results.
   */
  def writeState[T, R](operator: Long, rows: RDD[T])(
      write: (StateOfPartition, Iterator[T]) => R
  ): Seq[R] = {
    val states = NewStates(from, new Path(target, "state").toString, operator)
    val written = rows.mapPartitionsWithIndex { (partition, found) =>
      Iterator(states.write(partition)(write(_, found)))
    }.collect().toSeq
    takeState(operator, written.map(_._2))
    written.map(_._1)
  }

  /**
   * Takes over the state that another writer has written into this folder: the first version of
   * each partition of the operator, with these ids.
   */
  private[spark] def takeState(operator: Long, stateIds: Seq[Option[String]]): Unit = {
    partitions(operator) = stateIds.size
    if (stateIds.forall(_.isDefined)) ids(operator) = stateIds.map(_.toSeq)
    stateIds.indices.foreach { partition =>
      val folder = new Path(target, s"state/${operator}/$partition")
      targetFiles.listStatus(folder).map(_.getPath).foreach { file =>
        file.getName match {
          case FirstVersion(rest) =>
            val renamed = new Path(folder, s"${last + 1L}$rest")
            if (!targetFiles.rename(file, renamed)) {
              throw new IllegalStateException(s"$file cannot be renamed to $renamed")
            }
          case _ =>
        }
      }
    }
  }

  /** Copies the log of offsets. */
  def copyOffsets(): Unit = copyLog(identity)

  /** Copies the log of offsets, for a query with this number of partitions. */
  def copyOffsets(partitions: Int): Unit =
    copyOffsetsWith(PartitionSettings.map(_ -> partitions.toString))

  /**
   * Copies the descriptions and the state of Spark operators.
   *
   * @param moved
   *   the number of partitions, if it changes
   */
  def copyStates(operators: Seq[StoredOperator], moved: Option[Int]): Unit =
    if (operators.nonEmpty) {
      operators.foreach { operator =>
        partitions(operator.number) = moved.getOrElse(operator.partitions)
        describe(operator)
      }
      val folder = targetFiles.makeQualified(target).toString
      ids ++= SparkStates.copy(from, folder, last, moved)
    }

  /** Copies the log of offsets, with these settings of the query if the log has them. */
  private[spark] def copyOffsetsWith(settings: Seq[(String, String)]): Unit =
    copyLog(settings.foldLeft(_) { case (text, (setting, value)) =>
      text.replaceAll(
        s"\"\\Q$setting\\E\":\"[^\"]*\"",
        java.util.regex.Matcher.quoteReplacement(s"\"$setting\":\"$value\"")
      )
    })

  private def copyLog(ofLater: String => String): Unit = {
    copyFolder("sources")
    // Spark compares the offsets of the last two micro-batches.
    batches(after = restoredAs.isEmpty).foreach { case (batch, number) =>
      copyText(s"offsets/$batch", s"offsets/$number", if (number < last) identity else ofLater)
    }
  }

  /** Copies the descriptions of windows, with the number of partitions of the written state. */
  def copyOperators(): Unit = from.windows.foreach(describe)

  /** Commits the last micro-batch: the copy is a checkpoint. */
  def finish(): Unit = {
    batches(after = false).foreach { case (batch, number) =>
      copyText(s"commits/$batch", s"commits/$number", if (number < last) identity else withIds)
    }
    // Last: a folder without it is not a checkpoint.
    copyText("metadata", identity)
  }

  /** Returns the result of `body`, which makes the copy. If it fails, deletes the copy. */
  def orDelete[T](body: => T): T = copy.orDelete(body)

  private def describe(operator: StoredOperator): Unit = {
    val folder = s"state/${operator.number}"
    copyFolder(s"$folder/_stateSchema")
    // Spark's older operators have one file of metadata, and schemas in the first partition.
    operator.stores.foreach { store =>
      val ofStore = if (store == StateStoreId.DEFAULT_STORE_NAME) "" else s"/$store"
      copyFolder(s"$folder/0$ofStore/_metadata")
    }
    val metadata = s"$folder/_metadata"
    (s"$metadata/metadata" +: filesIn(new Path(source, s"$metadata/v2")).map(file =>
      s"$metadata/v2/${file.getName}"
    )).foreach { file =>
      copyText(
        file,
        text =>
          Partitions.replaceAllIn(
            // Spark names the files of schemas by their paths.
            SchemaFile.replaceAllIn(
              text,
              found => quoted(s"${targetFiles.makeQualified(target)}${found.group(1)}")
            ),
            s""""numPartitions":${partitions(operator.number)}"""
          )
      )
    }
  }

  private def quoted(path: String): String =
    java.util.regex.Matcher.quoteReplacement("\"" + path + "\"")

  private def withIds(text: String): String = {
    val stored = ids.map { case (operator, ofPartitions) =>
      def array(items: Seq[String]) = items.mkString("[", ",", "]")
      s""""$operator":${array(ofPartitions.map(ofStores =>
          array(ofStores.map(id => s""""$id""""))
        ))}"""
    }
    if (stored.isEmpty) text
    else StateIds.replaceAllIn(text, s""""stateUniqueIds":${stored.mkString("{", ",", "}")}""")
  }

  /**
   * Returns the numbers of the micro-batches to copy, and their numbers in the copy: the last two.
   * With `after`, also the micro-batch that was planned after them.
   */
  private def batches(after: Boolean): Seq[(Long, Long)] =
    if (restoredAs.isDefined) Seq((copied, last - 1L), (copied, last))
    else (-1L to (if (after) 1L else 0L)).map(i => (copied + i, last + i))

  private def copyText(name: String, change: String => String): Unit = copyText(name, name, change)

  private def copyText(name: String, newName: String, change: String => String): Unit = {
    val file = new Path(source, name)
    if (sourceFiles.exists(file)) {
      val in = sourceFiles.open(file)
      val text =
        try new String(in.readAllBytes(), UTF_8)
        finally in.close()
      copy.write(newName, change(text))
    }
  }

  private def copyFolder(name: String): Unit = {
    val folder = new Path(source, name)
    if (sourceFiles.exists(folder)) {
      FileUtil.copy(sourceFiles, folder, targetFiles, new Path(target, name), false, conf): Unit
    }
  }

  // Files of a micro-batch have its number as their name.
  private def filesIn(folder: Path): Seq[Path] =
    if (!sourceFiles.exists(folder)) Nil
    else sourceFiles.listStatus(folder).map(_.getPath).filter(_.getName.forall(_.isDigit)).toSeq
}

private object CheckpointCopy {
  private val FirstVersion = "1([._].*)".r
  private val SchemaFile = "\"[^\"]*(/state/\\d+/_stateSchema/[^\"]*)\"".r
  private val Partitions = "\"numPartitions\":\\d+".r
  private val StateIds = "\"stateUniqueIds\":\\{[^}]*\\}".r

  /** The settings of a query in its log of offsets that contain the number of partitions. */
  private val PartitionSettings = Seq(
    SQLConf.SHUFFLE_PARTITIONS.key,
    StateStoreSettings.Partitions
  )
}

/** The empty state stores of an operator. */
private[spark] final class NewStates(root: String, operator: Long, stores: StateStores)
    extends Serializable {

  /** Writes the first version of a partition's state. Returns its id, if the store has ids. */
  def write[R](partition: Int)(body: StateOfPartition => R): (R, Option[String]) = {
    val id = StateStoreId(root, operator, partition)
    val provider = stores.open(StateStoreProviderId(id, UUID.randomUUID))
    try {
      val store = provider.getStore(0L, None)
      val result = body(new StateOfPartition(store))
      store.commit(): Unit
      (result, store.getStateStoreCheckpointInfo().stateStoreCkptId)
    } finally provider.close()
  }
}

private[spark] object NewStates {
  def apply(from: StoredCheckpoint, root: String, operator: Long): NewStates = {
    val settings = from.session.sessionState.conf.clone()
    // Each commit then writes a snapshot.
    settings.setConfString(StateStoreSettings.Changelog, "false")
    new NewStates(root, operator, StateStores(from.session, settings))
  }
}
