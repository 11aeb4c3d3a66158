package org.apache.spark.sql.muntin.spark

import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{SparkSession => AnySession}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LocalRelation, LogicalPlan}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{LeafExecNode, LogicalRDD, SQLExecutionRDD, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.state.metadata.StateMetadataPartitionReader
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StateStoreWriter,
  StatefulOperator,
  StatefulOperatorStateInfo,
  StreamingDeduplicateExec,
  StreamingDeduplicateWithinWatermarkExec,
  StreamingGlobalLimitExec
}
import org.apache.spark.sql.execution.streaming.operators.stateful.join.{
  StreamingSymmetricHashJoinExec => StreamJoinExec
}
import org.apache.spark.sql.execution.streaming.state.OperatorStateMetadata
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.SerializableConfiguration

/**
 * The micro-batch without rows that would follow the last micro-batch of a checkpoint if the stream
 * ended there. It is planned as Spark plans a micro-batch, and reads the existing state. Nothing is
 * written: the checkpoint does not change.
 */
final class EndedStream private (
    session: SparkSession,
    query: LogicalPlan,
    before: CommittedBatch
) {
  private val stored: Seq[OperatorStateMetadata] =
    EndedStream.operators(session, before).sortBy(EndedStream.info(_)._1)

  // The state of early answers differs.
  private val execution = LastExecution(
    session,
    EndedStream.withoutRows(query),
    before,
    EndedStream.timesAfter(before),
    isUpdate = stored.exists(StatefulExec.isOfUpdate)
  )

  private def planned: SparkPlan = execution.executedPlan

  /** Returns a Spark operator with state that emits rows at the end of the stream. */
  def otherOperator: Option[String] = planned.collectFirst {
    case other: StatefulOperator if !isOurs(other) && !EndedStream.isSilent(other) =>
      other.nodeName
  }

  private lazy val operators: Seq[StateStoreWriter] = EndedStream.writers(planned)

  /**
   * Returns the number of operators in the checkpoint that are not in this query. Spark numbers
   * operators from the top: so a part of the checkpoint's query has the last numbers.
   */
  private def above: Int = stored.size - operators.size

  /** Returns how the query differs from the checkpoint's query and from its upstream queries. */
  def difference: Option[QueryDifference] = {
    val (there, here) = (stored.map(EndedStream.info(_)._2), operators.map(_.shortName))
    if (!there.endsWith(here)) {
      def shown(operators: Seq[String]) = operators.mkString("[", ", ", "]")
      Some(QueryDifference("stateful operators", Some(shown(there)), Some(shown(here))))
    } else {
      operators.zip(stored.drop(above)).flatMap {
        case (ours: StatefulExec, old) => ours.difference(old, isPart = above > 0)
        case _ => None
      }.headOption
    }
  }

  /** Returns the rows that the query would emit. */
  def rows: RDD[InternalRow] = session.withActive {
    val plan = planned.transform {
      case other: StatefulOperator if !isOurs(other) =>
        NoRowsExec(other.asInstanceOf[SparkPlan].output, other.getStateInfo.numPartitions)
    }
    plan.foreach {
      case ours: StatefulExec =>
        ours.batch.foreach(b => b.endsIn(execution, committed(b.place), above > 0))
      case _ =>
    }
    new SQLExecutionRDD(plan.execute(), session.sessionState.conf)
  }

  /** Returns the operator's place in the checkpoint, from its place in the query. */
  private def committed(place: StatefulOperatorStateInfo): StatefulOperatorStateInfo = {
    val operator = place.operatorId + above
    val ids = before.committed.stateUniqueIds.flatMap(_.get(operator))
    place.copy(operatorId = operator, stateStoreCkptIds = ids)
  }

  private def isOurs(operator: StatefulOperator): Boolean = operator.isInstanceOf[StatefulExec]
}

object EndedStream {

  /** Ignores `settings` of the session. */
  def apply(
      session: AnySession,
      query: LogicalPlan,
      before: CommittedBatch,
      settings: Seq[String]
  ): EndedStream = new EndedStream(sessionOf(session, before, settings), query, before)

  /** Copies the session with the settings of the checkpoint, as Spark does for a starting query. */
  private[spark] def sessionOf(
      session: AnySession,
      before: CommittedBatch,
      settings: Seq[String]
  ): SparkSession = {
    val own = LocalSession.local(session).cloneSession()
    val conf = own.sessionState.conf
    CheckpointLogs.keepSettings(before.times, conf)
    settings.foreach(conf.unsetConf)
    conf.setConf(SQLConf.ADAPTIVE_EXECUTION_ENABLED, false)
    conf.setConf(SQLConf.CBO_ENABLED, false)
    own
  }

  /** Replaces sources as Spark does if they have no new rows in a micro-batch. */
  private[spark] def withoutRows(query: LogicalPlan): LogicalPlan = query.transform {
    case source: LeafNode if source.isStreaming =>
      LocalRelation(source.output, Nil, isStreaming = true)
  }

  /** Replaces sources by rows that the optimizer does not know to be empty. */
  private[spark] def withRows(session: SparkSession, query: LogicalPlan): LogicalPlan =
    query.transform {
      case source: LeafNode if source.isStreaming => rowsOf(session, source.output)
    }

  /** Returns a stream with these columns, without rows. */
  private[spark] def rowsOf(session: SparkSession, columns: Seq[Attribute]): LogicalPlan = {
    val none: RDD[InternalRow] = session.sparkContext.emptyRDD[InternalRow]
    LogicalRDD(columns, none, isStreaming = true)(session)
  }

  /** Returns the operators with state, in the order of their numbers. */
  private[spark] def writers(plan: SparkPlan): Seq[StateStoreWriter] =
    plan.collect { case writer: StateStoreWriter => writer }.sortBy(_.getStateInfo.operatorId)

  private[spark] def timesAfter(before: CommittedBatch): CheckpointLogs.Times = CheckpointLogs.next(
    before.times,
    math.max(before.times.batchWatermarkMs, before.committed.nextBatchWatermarkMs),
    System.currentTimeMillis
  )

  /** Returns the operators with state in a checkpoint. */
  private[spark] def operators(
      session: AnySession,
      batch: CommittedBatch
  ): Seq[OperatorStateMetadata] = {
    val files = LocalSession.local(session).sessionState.newHadoopConf()
    val state = new Path(batch.state)
    if (!state.getFileSystem(files).exists(state)) Nil
    else {
      val conf = new SerializableConfiguration(files)
      new StateMetadataPartitionReader(batch.checkpoint, conf, batch.number)
        .allOperatorStateMetadata.toSeq
    }
  }

  /** Returns the operator's number and name. */
  private[spark] def info(operator: OperatorStateMetadata): (Long, String) =
    (operator.operatorInfo.operatorId, operator.operatorInfo.operatorName)

  /** Returns true if a Spark operator does not emit rows when no more rows arrive. */
  private def isSilent(operator: StatefulOperator): Boolean =
    !operator.asInstanceOf[SparkPlan].exists(_.isInstanceOf[StatefulExec]) && (operator match {
      case _: StreamingDeduplicateExec => true
      case _: StreamingDeduplicateWithinWatermarkExec => true
      case _: StreamingGlobalLimitExec => true
      case join: StreamJoinExec => join.joinType == Inner
      case _ => false
    })
}

/** Empty rows with this number of partitions. */
private final case class NoRowsExec(output: Seq[Attribute], partitions: Int)
    extends LeafExecNode {
  override protected def doExecute(): RDD[InternalRow] =
    sparkContext.parallelize(Seq.empty[InternalRow], partitions)
}
