package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** The last micro-batch that a query's checkpoint has committed. The checkpoint is only read. */
final class CommittedBatch private (
    /** The checkpoint's folder. */
    val checkpoint: String,

    /** The micro-batch's number, from 0. */
    val number: Long,
    private[spark] val times: CheckpointLogs.Times,
    private[spark] val committed: CheckpointLogs.Committed
) {
  private[spark] def state: String = new Path(checkpoint, "state").toString
}

object CommittedBatch {

  /** Returns None if there is no such folder; else whether a query has started in it. */
  def isCheckpoint(session: SparkSession, folder: String): Option[Boolean] = {
    val path = new Path(folder)
    val files = path.getFileSystem(LocalSession.local(session).sessionState.newHadoopConf())
    // A query writes its id before anything else.
    Option.when(files.exists(path))(files.exists(new Path(path, "metadata")))
  }

  /** Returns None if no micro-batch has been committed. */
  def last(session: SparkSession, checkpoint: String): Option[CommittedBatch] = {
    val own = LocalSession.local(session)
    def log(name: String) = new Path(checkpoint, name).toString
    val files = new Path(checkpoint).getFileSystem(own.sessionState.newHadoopConf())
    if (!files.exists(new Path(log("commits")))) None
    else
      for {
        (number, committed) <- CheckpointLogs.commits(own, log("commits")).getLatest()
        offsets <- CheckpointLogs.offsets(own, log("offsets")).get(number)
        times <- CheckpointLogs.times(offsets)
      } yield new CommittedBatch(checkpoint, number, times, committed)
  }
}
