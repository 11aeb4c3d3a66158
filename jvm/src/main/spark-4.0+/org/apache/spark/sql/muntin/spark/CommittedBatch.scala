package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** The last micro-batch that a query's checkpoint has committed. The checkpoint is only read. */
final class CommittedBatch private (
    /** The checkpoint's folder. */
    val checkpoint: String,

    /** The micro-batch's number, from 0. */
    val number: Long,
    /** True if it is the micro-batch of `bootstrap` (HistoryBatch). */
    val isOfHistory: Boolean,
    private[spark] val sources: Int,
    private[spark] val times: CheckpointLogs.Times,
    private[spark] val committed: CheckpointLogs.Committed
) {
  private[spark] def state: String = new Path(checkpoint, "state").toString
}

/** The files of a micro-batch in the logs of a checkpoint. */
final case class LoggedBatch(number: Long, isPlanned: Boolean, isCommitted: Boolean)

object CommittedBatch {

  /** Returns None if there is no such folder; else whether a query has started in it. */
  def isCheckpoint(session: SparkSession, folder: String): Option[Boolean] = {
    val path = new Path(folder)
    val files = path.getFileSystem(LocalSession.local(session).sessionState.newHadoopConf())
    // A query writes its id before anything else.
    Option.when(files.exists(path))(files.exists(new Path(path, "metadata")))
  }

  /** Returns None if no micro-batch has been committed. */
  def last(session: SparkSession, checkpoint: String): Option[CommittedBatch] =
    found(session, checkpoint)(_.getLatest())

  /** Returns None if the checkpoint has no micro-batch of this number, or no longer. */
  def at(session: SparkSession, checkpoint: String, number: Long): Option[CommittedBatch] =
    found(session, checkpoint)(_.get(number).map(number -> _))

  /** Returns the micro-batches that have a file in a log, the last first. */
  def logged(session: SparkSession, checkpoint: String): Seq[LoggedBatch] = {
    def numbers(log: String): Set[Long] = {
      val folder = new Path(checkpoint, log)
      val files = folder.getFileSystem(LocalSession.local(session).sessionState.newHadoopConf())
      if (!files.exists(folder)) Set.empty
      else {
        files.listStatus(folder).map(_.getPath.getName).filter(_.forall(_.isDigit))
          .map(_.toLong).toSet
      }
    }
    val (planned, committed) = (numbers("offsets"), numbers("commits"))
    (planned ++ committed).toSeq.sorted.reverse
      .map(number => LoggedBatch(number, planned(number), committed(number)))
  }

  private def found(session: SparkSession, checkpoint: String)(
      find: CheckpointLogs.Commits => Option[(Long, CheckpointLogs.Committed)]
  ): Option[CommittedBatch] = for {
    log <- commits(session, checkpoint)
    (number, committed) <- find(log)
    own = LocalSession.local(session)
    offsets <-
      CheckpointLogs.offsets(own, new Path(checkpoint, "offsets").toString).get(number)
    times <- CheckpointLogs.times(offsets)
  } yield {
    val isOfHistory = number == 0L && CheckpointLogs.lackOffsets(offsets)
    val sources = CheckpointLogs.sources(offsets)
    new CommittedBatch(checkpoint, number, isOfHistory, sources, times, committed)
  }

  private def commits(
      session: SparkSession,
      checkpoint: String
  ): Option[CheckpointLogs.Commits] = {
    val own = LocalSession.local(session)
    val folder = new Path(checkpoint, "commits")
    val files = folder.getFileSystem(own.sessionState.newHadoopConf())
    Option.when(files.exists(folder))(CheckpointLogs.commits(own, folder.toString))
  }
}
