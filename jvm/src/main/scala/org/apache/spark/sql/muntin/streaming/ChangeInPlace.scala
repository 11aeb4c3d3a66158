package org.apache.spark.sql.muntin.streaming

import org.apache.hadoop.fs.Path
import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.errors.ErrorConditions
import org.apache.spark.sql.muntin.spark.{LocalSession, MuntinAnalysisException}

/**
 * Replaces the checkpoint of a changed query that starts. The old checkpoint is moved to a folder
 * beside it, and copied from there:
 *
 *     /checkpoints/totals                  /checkpoints/totals.before-batch-42   the old checkpoint
 *                                          /checkpoints/totals                   its changed copy
 *
 * If the copy fails, the old checkpoint is moved back. If the driver fails meanwhile, the query
 * does not start without it.
 */
private[muntin] object ChangeInPlace extends Logging {
  private val Suffix = ".before-batch-"

  /** Fails if a change of the checkpoint, which has no micro-batch, has not finished. */
  def checkFinished(session: SparkSession, checkpoint: String): Unit = {
    val folder = new Path(checkpoint)
    val files = folder.getFileSystem(LocalSession.files(session))
    if (folder.getParent != null && files.exists(folder.getParent)) {
      val before = s"${folder.getName}$Suffix"
      files.listStatus(folder.getParent).map(_.getPath).find(_.getName.startsWith(before))
        .foreach { path =>
          throw new MuntinAnalysisException(
            "MUNTIN_UNFINISHED_CHANGE",
            "checkpoint" -> checkpoint,
            "before" -> path.toString
          )
        }
    }
  }

  def apply(
      session: SparkSession,
      query: LogicalPlan,
      outputsUpdates: Option[Boolean],
      checkpoint: String,
      allowsIncomplete: Boolean
  ): Unit = {
    def changeOf(folder: String) = new CheckpointChange(
      session,
      query,
      ChangeRequest(folder, Some(checkpoint), allowsIncomplete, outputsUpdates, renamed = Map.empty)
    )
    val found = changeOf(checkpoint)
    found.checkAllowed()
    val folder = new Path(checkpoint)
    val files = folder.getFileSystem(LocalSession.files(session))
    val before = s"$checkpoint$Suffix${found.nextBatch}"
    val free = Iterator.from(1).map(i => new Path(if (i == 1) before else s"$before-$i"))
      .find(!files.exists(_)).get
    def move(from: Path, to: Path): Unit = if (!files.rename(from, to)) {
      throw new IllegalStateException(s"$from cannot be renamed to $to")
    }
    move(folder, free)
    try changeOf(free.toString).copy()
    catch {
      case failure: Throwable =>
        move(free, folder)
        throw failure
    }
    logWarning(ErrorConditions("MUNTIN_CHECKPOINT_CHANGED").message(Map(
      "checkpoint" -> checkpoint,
      "before" -> free.toString,
      "changes" -> found.windows.map(shown).mkString("; ")
    )))
  }

  private def shown(change: WindowChange): String =
    s"${change.window}${change.function.fold("")(f => s", $f,")} ${change.action.text}" +
      change.reason.fold("")(reason => s" ($reason)")
}
