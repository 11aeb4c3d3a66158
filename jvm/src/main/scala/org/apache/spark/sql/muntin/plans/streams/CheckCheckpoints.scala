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
      checkSink(started)
      checkFinished(started)
      differenceOf(started).foreach { difference =>
        val checkpoint = started.resolvedCheckpointLocation
        SQLConf.get.getConf(MuntinConf.StreamChange) match {
          case "refuse" => throw difference.error(checkpoint)
          case change =>
            ChangeInPlace(
              session,
              started.inputQuery,
              // In real-time mode the state has the output mode of the checkpoint.
              Option.when(!mayBeRealTime(started))(started.outputMode == OutputMode.Update),
              checkpoint,
              allowsIncomplete = change == "incomplete"
            )
        }
      }
    case _ =>
  }

  /** The log of a file sink must begin with micro-batch 0, which `bootstrap` has run. */
  private def checkSink(started: WriteToStream): Unit =
    if (started.sink.getClass.getSimpleName == "FileStreamSink") {
      val checkpoint = started.resolvedCheckpointLocation
      if (CommittedBatch.last(session, checkpoint).exists(_.isOfHistory)) {
        throw new MuntinAnalysisException(
          "MUNTIN_FILE_SINK_AFTER_BOOTSTRAP",
          "checkpoint" -> checkpoint
        )
      }
    }

  private def checkFinished(started: WriteToStream): Unit = {
    val checkpoint = started.resolvedCheckpointLocation
    if (
      StreamStateStore.hasStreamWindows(started.inputQuery) &&
      CommittedBatch.last(session, checkpoint).isEmpty
    ) ChangeInPlace.checkFinished(session, checkpoint)
  }

  // This plan does not have the trigger. In real-time mode the state is that of append, and Spark
  // runs a batch even without new rows, in which the operator compares its mode.
  private def mayBeRealTime(started: WriteToStream): Boolean =
    started.outputMode == OutputMode.Update && RealTimeMode.hasState &&
      MuntinConf.isByGroup(SQLConf.get)

  private def differenceOf(started: WriteToStream): Option[QueryDifference] =
    // Queries that cannot be planned or read have errors, which Spark reports.
    try
      CommittedBatch.last(session, started.resolvedCheckpointLocation).flatMap { before =>
        val isUpdate = started.outputMode == OutputMode.Update
        def inMode(isUpdate: Boolean) =
          StartedQuery(session, started.inputQuery, isUpdate, before)
        val query = inMode(isUpdate)
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
    catch {
      case NonFatal(error) =>
        logInfo(s"${started.resolvedCheckpointLocation} is not compared with the query", error)
        None
    }
}
