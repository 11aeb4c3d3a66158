package org.apache.spark.sql.muntin.streaming

import scala.util.{Failure, Success, Try}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.muntin.errors.FailureText
import org.apache.spark.sql.muntin.spark.{
  CommittedBatch,
  LoggedBatch,
  MuntinAnalysisException,
  SparkStates,
  StoredCheckpoint
}

/**
 * A micro-batch of a checkpoint whose files are whole: its logs, and the state of all partitions of
 * windows, which is read to its end.
 *
 * @param problem
 *   why the next micro-batch is not whole
 * @param later
 *   the number of the last micro-batch, if it is a later one
 */
private[streaming] final case class WholeBatch(
    from: StoredCheckpoint,
    problem: Option[String],
    later: Option[Long]
)

private[streaming] object WholeBatch {

  /** Returns the last micro-batch that is whole. Fails if there is none. */
  def last(session: SparkSession, checkpoint: String): WholeBatch = {
    val logged = CommittedBatch.logged(session, checkpoint)
    if (!logged.exists(_.isCommitted)) throw CheckpointFolder.withoutBatch(checkpoint)
    // The last may be planned and not committed.
    val tried = logged.dropWhile(b => b == logged.head && b.isPlanned && !b.isCommitted).iterator
      .map(batch => batch -> read(session, checkpoint, batch, logged))
    var problem = Option.empty[(Long, String)]
    tried.flatMap {
      case (_, Right(from)) => Some(WholeBatch(from, problem.map(_._2), laterThan(from, logged)))
      case (batch, Left(found)) =>
        problem = Some(batch.number -> found)
        None
    }.nextOption().getOrElse {
      val (number, found) = problem.get
      throw error("MUNTIN_NO_WHOLE_BATCH", checkpoint, number, found)
    }
  }

  /** Returns the micro-batch with this number. Fails if it is not whole. */
  def at(session: SparkSession, checkpoint: String, number: Long): WholeBatch = {
    val logged = CommittedBatch.logged(session, checkpoint)
    val batch = logged.find(b => b.number == number && b.isCommitted).getOrElse {
      throw CheckpointFolder.notKept(session, checkpoint, number)
    }
    read(session, checkpoint, batch, logged) match {
      case Right(from) => WholeBatch(from, None, laterThan(from, logged))
      case Left(problem) => throw error("MUNTIN_BATCH_NOT_WHOLE", checkpoint, number, problem)
    }
  }

  private def laterThan(from: StoredCheckpoint, logged: Seq[LoggedBatch]): Option[Long] =
    Option.when(isBefore(from.batch, logged))(logged.head.number)

  /** Returns the state after the micro-batch, or what is not whole. */
  private def read(
      session: SparkSession,
      checkpoint: String,
      batch: LoggedBatch,
      logged: Seq[LoggedBatch]
  ): Either[String, StoredCheckpoint] = {
    val number = batch.number
    if (!batch.isPlanned) Left(s"the file offsets/$number is missing")
    else if (!batch.isCommitted) Left(s"the file commits/$number is missing")
    else {
      Try(CommittedBatch.at(session, checkpoint, number)) match {
        case Failure(failure) =>
          Left(s"the file offsets/$number or commits/$number: ${FailureText(failure)}")
        case Success(None) => Left(s"the file offsets/$number has no times")
        case Success(Some(found)) if found.isOfHistory && isBefore(number, logged) =>
          Left(s"the micro-batch $number is a table of bootstrap")
        case Success(Some(found)) =>
          val from = StoredCheckpoint(session, found)
          Try(problems(from)) match {
            case Failure(failure) => Left(s"the folder state: ${FailureText(failure)}")
            case Success(problems) => problems.headOption.toLeft(from)
          }
      }
    }
  }

  /** Returns true if a later micro-batch has been committed. */
  private def isBefore(number: Long, logged: Seq[LoggedBatch]): Boolean =
    logged.exists(b => b.isCommitted && b.number > number)

  private def problems(from: StoredCheckpoint): Seq[String] = from.operators.flatMap {
    case operator if operator.isOfWindows =>
      StateRouting.of(operator, operator.partitions).problems(from)
    case operator if SparkStates.supports(operator) => SparkStates.problem(from, operator)
    case _ => None
  }

  private def error(
      condition: String,
      checkpoint: String,
      batch: Long,
      problem: String
  ): MuntinAnalysisException = new MuntinAnalysisException(
    condition,
    "checkpoint" -> checkpoint,
    "batch" -> batch.toString,
    "problem" -> problem
  )
}
