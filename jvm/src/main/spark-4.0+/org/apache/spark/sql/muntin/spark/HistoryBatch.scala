package org.apache.spark.sql.muntin.spark

import java.util.UUID

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{SparkSession => AnySession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Max
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.{Dataset, SparkSession}
import org.apache.spark.sql.execution.{LogicalRDD, SQLExecutionRDD}
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StateStoreWriter,
  StatefulOperator
}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.Metadata

/**
 * The first micro-batch of a new checkpoint, in which the rows of a table replace the rows of each
 * source of the query. It runs without a stream: Spark plans it as any micro-batch, and its tasks
 * commit the state. Rows are not late, and the watermark is already the watermark of the next
 * micro-batch. So rows below it have their results at once, and only the others are buffered.
 *
 *     rows until 10:00, a delay of 10 minutes    the watermark is 9:50: results until 9:50 are
 *                                                emitted, the other rows are buffered
 *
 * The log of offsets has no offset of the source, so a query that continues begins where its source
 * begins. With `after`, the offsets, the watermark and the number of the micro-batch are from the
 * last micro-batch of another checkpoint. The micro-batch is committed when all tasks have ended.
 */
final class HistoryBatch(
    starting: AnySession,
    query: LogicalPlan,
    histories: Seq[LogicalPlan],
    checkpoint: String,
    after: Option[StoredCheckpoint]
) {
  private val session: SparkSession = {
    val own = after.fold(LocalSession.local(starting))(_.session).cloneSession()
    val conf = own.sessionState.conf
    conf.setConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED, false)
    conf.setConf(SQLConf.STATE_STORE_PROVIDER_CLASS, StateOfPartition.Provider)
    StateStoreSettings.written(hasStateOfSpark = false).foreach { case (key, value) =>
      if (!conf.contains(key)) conf.setConfString(key, value)
    }
    conf.setConfString(StateStoreSettings.Partitions, conf.numShufflePartitions.toString)
    // A version that is renamed must not refer to others.
    if (after.isDefined) conf.setConfString(StateStoreSettings.Changelog, "false")
    own
  }
  private val folder = new NewFolder(checkpoint, session.sessionState.newHadoopConf())
  private val copy = after.map(new CheckpointCopy(_, checkpoint))

  /** Returns true if the folder is absent, or has no files. */
  def isFree: Boolean = folder.isFree

  val sources: Seq[LeafNode] =
    query.collect { case leaf: LeafNode if leaf.isStreaming => leaf }

  private val different = sources.distinctBy(_.canonicalized)

  /**
   * Returns the columns of the query's sources, one list for each different source, in the order of
   * the query.
   */
  def sourceColumns: Seq[Seq[Attribute]] = different.map(_.output)

  /** Returns the rows of the source's history under the names of the source's columns. */
  private def rowsFor(source: LeafNode): LogicalPlan = {
    val number = different.indexWhere(_.canonicalized == source.canonicalized)
    named(source, histories(number))
  }

  private def named(source: LeafNode, history: LogicalPlan): LogicalPlan = Project(
    source.output.map { column =>
      val found = history.output.find(_.name == column.name).getOrElse {
        throw new IllegalStateException(s"the history has no column ${column.name}")
      }
      Alias(found, column.name)(exprId = column.exprId)
    },
    history
  )

  /** Returns the watermark of the next micro-batch, in milliseconds; 0 without a watermark. */
  lazy val watermark: Long = after.fold(ofHistories)(_.last.times.batchWatermarkMs)

  private def ofHistories: Long = {
    // Each node has a watermark of its own; a plan may repeat a node.
    val marks = query.collect { case mark: EventTimeWatermark => mark }
    val found = marks.map { mark =>
      val rows = mark.child.transform {
        case source: LeafNode if source.isStreaming => rowsFor(source)
      }
      val newest = Alias(Max(mark.eventTime).toAggregateExpression(), "newest")()
      val millis = Dataset.ofRows(session, Aggregate(Nil, Seq(newest), rows))
        .queryExecution.executedPlan.executeCollect().head
      if (millis.isNullAt(0)) None
      else {
        Some(math.max(
          0L,
          Math.floorDiv(millis.getLong(0), 1000L) - EventTimeWatermark.getDelayMs(
            mark.delay
          )
        ))
      }
    }
    val isLeast = session.sessionState.conf.getConf(SQLConf.STREAMING_MULTIPLE_WATERMARK_POLICY)
      .equalsIgnoreCase("min")
    if (isLeast && found.exists(_.isEmpty)) 0L
    else {
      val known = found.flatten
      (if (isLeast) known.minOption else known.maxOption).getOrElse(0L)
    }
  }

  private lazy val clock = System.currentTimeMillis

  private lazy val times = CheckpointLogs.firstTimes(watermark, clock, session.conf)

  /** Logs the micro-batch: Spark plans a micro-batch that is in the log. */
  private def log(): Unit = copy.fold(
    CheckpointLogs.planFirst(session, checkpoint, sources.size, times)
  )(_.copyOffsetsWith(Seq(
    SQLConf.STATE_STORE_PROVIDER_CLASS.key -> StateOfPartition.Provider
  )))

  private lazy val execution = {
    val rows = query.transform {
      case source: LeafNode if source.isStreaming =>
        val history = rowsFor(source)
        HistoryRows(source.output)(columns =>
          Dataset.ofRows(session, Project(columns, history)).queryExecution.sparkPlan
        )
    }
    log()
    LastExecution.first(
      session,
      rows,
      new Path(folder.path, "state").toString,
      CheckpointLogs.firstTimes(0L, clock, session.conf),
      times,
      isUpdate = false
    )
  }

  /** Returns a stateful operator of Spark in the query. */
  def otherOperator: Option[String] = execution.executedPlan.collectFirst {
    case other: StatefulOperator if !other.isInstanceOf[StatefulExec] => other.nodeName
  }

  /**
   * Runs the micro-batch, and makes the folder a checkpoint. Writes the results into the folder
   * `results`, as Parquet. Returns their number.
   */
  def run(results: String): Long = session.withActive {
    val plan = execution.executedPlan
    plan.foreach {
      case ours: StatefulExec => ours.batch.foreach(_.runsIn(execution))
      case _ =>
    }
    val rows = new SQLExecutionRDD(plan.execute(), session.sessionState.conf)
    // Times of a table have no watermark.
    val columns = query.output.map(a => a.withMetadata(Metadata.empty))
    Dataset.ofRows(session, LogicalRDD(columns, rows)(session)).write.parquet(results)
    commit(EndedStream.writers(plan))
    session.streams.stateStoreCoordinator.deactivateInstances(execution.runId)
    session.read.parquet(results).count()
  }

  private def commit(operators: Seq[StateStoreWriter]): Unit = {
    val hasIds =
      session.sessionState.conf.getConf(SQLConf.STATE_STORE_CHECKPOINT_FORMAT_VERSION) >= 2
    def idsOf(operator: StateStoreWriter): Array[Array[String]] =
      operator.getStateStoreCheckpointInfo().sortBy(_.partitionId).map(_.stateStoreCkptId.get)
    copy match {
      case None =>
        val ids = Option.when(hasIds) {
          operators.map(operator => operator.getStateInfo.operatorId -> idsOf(operator)).toMap
        }
        CheckpointLogs.commitFirst(session, checkpoint, times, ids)
        // As Spark writes the id of a query.
        folder.write("metadata", s"""{"id":"${UUID.randomUUID}"}""")
      case Some(copied) =>
        operators.foreach { operator =>
          val place = operator.getStateInfo
          copied.takeState(
            place.operatorId,
            if (hasIds) idsOf(operator).map(_.headOption).toSeq
            else Seq.fill(place.numPartitions)(None)
          )
        }
        copied.finish()
    }
  }

  /** Returns the result of `body`, which makes the checkpoint. If it fails, deletes the folder. */
  def orDelete[T](body: => T): T = folder.orDelete(body)
}
