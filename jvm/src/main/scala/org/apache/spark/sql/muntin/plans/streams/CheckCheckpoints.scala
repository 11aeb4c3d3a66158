package org.apache.spark.sql.muntin.plans.streams

import scala.util.control.NonFatal

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.WriteToStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.{
  CommittedBatch,
  MuntinAnalysisException,
  QueryDifference,
  RealTimeMode,
  StartedQuery,
  Streams
}
import org.apache.spark.sql.muntin.streaming.{ChangeInPlace, StreamWindowsExec}
import org.apache.spark.sql.streaming.OutputMode

/**
 * Rejects a query that starts with the checkpoint of another query, if either has windows. The
 * operators check the checkpoint, too, when a run has its first micro-batch (StatefulExec). A run
 * without new rows does not run a micro-batch, and would report success.
 */
final case class CheckCheckpoints(session: SparkSession) extends (LogicalPlan => Unit)
    with Logging {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case started: WriteToStream if Streams.refusal.isEmpty =>
      // Checkpoints and queries that cannot be read or planned have errors, which Spark reports.
      unlessUnreadable(started)(Some(CommittedBatch.last(session, folderOf(started)))).foreach {
        case None => checkFinished(started)
        case Some(last) =>
          checkSink(started, last)
          unlessUnreadable(started)(differenceOf(started, last)).foreach(changeOrFail(started, _))
      }
    case _ =>
  }

  private def folderOf(started: WriteToStream): String = started.resolvedCheckpointLocation

  private def unlessUnreadable[T](started: WriteToStream)(read: => Option[T]): Option[T] =
    try read
    catch {
      case NonFatal(error) =>
        logInfo(s"${folderOf(started)} is not compared with the query", error)
        None
    }

  private def changeOrFail(started: WriteToStream, difference: QueryDifference): Unit =
    SQLConf.get.getConf(MuntinConf.StreamChange) match {
      case "refuse" => throw difference.error(folderOf(started))
      case change =>
        ChangeInPlace(
          session,
          started.inputQuery,
          // In real-time mode the state has the output mode of the checkpoint.
          Option.when(!mayBeRealTime(started))(started.outputMode == OutputMode.Update),
          folderOf(started),
          allowsIncomplete = change == "incomplete"
        )
    }

  /** The log of a file sink must begin with micro-batch 0, which `bootstrap` has run. */
  private def checkSink(started: WriteToStream, last: CommittedBatch): Unit =
    if (last.isOfHistory && started.sink.getClass.getSimpleName == "FileStreamSink") {
      throw new MuntinAnalysisException(
        "MUNTIN_FILE_SINK_AFTER_BOOTSTRAP",
        "checkpoint" -> folderOf(started)
      )
    }

  private def checkFinished(started: WriteToStream): Unit =
    if (StreamStateStore.hasStreamWindows(started.inputQuery)) {
      ChangeInPlace.checkFinished(session, folderOf(started))
    }

  // This plan does not have the trigger. In real-time mode the state is the state of append, and
  // Spark runs a batch even without new rows, in which the operator compares its mode.
  private def mayBeRealTime(started: WriteToStream): Boolean =
    started.outputMode == OutputMode.Update && RealTimeMode.hasState &&
      MuntinConf.isByGroup(SQLConf.get)

  private def differenceOf(
      started: WriteToStream,
      before: CommittedBatch
  ): Option[QueryDifference] = {
    def inMode(isUpdate: Boolean) =
      StartedQuery(session, started.inputQuery, isUpdate, before)
    val query = inMode(started.outputMode == OutputMode.Update)
    if (StreamStateStore.hasStreamWindows(started.inputQuery)) {
      query.difference
        .filter(_ => !mayBeRealTime(started) || inMode(false).difference.isDefined)
    } else {
      val windows = query.storedWindows(StreamWindowsExec.ShortName)
      Option.when(windows.nonEmpty)(
        QueryDifference("windows", Some(windows.mkString(", ")), None)
      )
    }
  }
}
