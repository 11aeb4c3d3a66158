package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.jdk.CollectionConverters._
import scala.reflect.ClassTag
import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{SparkSession => AnySession}
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.operators.stateful.StatefulOperatorStateInfo
import org.apache.spark.sql.execution.streaming.state.{
  OperatorStateMetadataV1,
  OperatorStateMetadataV2,
  StateStoreMetadata
}
import org.apache.spark.sql.muntin.errors.FailureText

/**
 * An operator with state in a checkpoint.
 *
 * @param properties
 *   what StatefulExec has written
 * @param stores
 *   the names of each partition's state stores
 */
final case class StoredOperator(
    number: Long,
    name: String,
    partitions: Int,
    properties: Map[String, String],
    stores: Seq[String]
) {

  /** Returns true for Muntin's operators. */
  def isOfWindows: Boolean = name == StoredCheckpoint.Ours

  /** Names the operator among the operators of a query. */
  def title: String = StatefulExec.title(name, properties)
}

/** The state of all operators of a checkpoint after a committed micro-batch. */
final class StoredCheckpoint private (
    private[spark] val session: SparkSession,
    private[spark] val last: CommittedBatch
) {

  private val metadata = EndedStream.operators(session, last)

  /** Returns true if an operator has the state of output mode update. */
  def isOfUpdate: Boolean = metadata.exists(StatefulExec.isOfUpdate)

  /** Returns the number of the query's sources. */
  def sources: Int = last.sources

  /** Returns the number of the micro-batch. */
  def batch: Long = last.number

  /** Returns the version of the state, which the next micro-batch reads. */
  def version: Long = last.number + 1L

  val operators: Seq[StoredOperator] = metadata.map { operator =>
    val (number, name) = EndedStream.info(operator)
    val properties = operator match {
      case ours: OperatorStateMetadataV2 if name == StoredCheckpoint.Ours =>
        StatefulExec.fromJson(ours.operatorPropertiesJson)
      case _ => Map.empty[String, String]
    }
    val stores: Seq[StateStoreMetadata] = operator match {
      case v1: OperatorStateMetadataV1 => v1.stateStoreInfo.toSeq
      case v2: OperatorStateMetadataV2 => v2.stateStoreInfo.toSeq
      case other => throw new IllegalStateException(s"the metadata of $number: $other")
    }
    StoredOperator(number, name, stores.head.numPartitions, properties, stores.map(_.storeName))
  }.sortBy(_.number)

  /** Returns Muntin's operators. */
  def windows: Seq[StoredOperator] = operators.filter(_.isOfWindows)

  /** Returns Spark's operators. */
  def operatorsOfSpark: Seq[StoredOperator] = operators.filterNot(_.isOfWindows)

  /** Returns the rows that `rows` computes from each partition's number and state. */
  def read[T: ClassTag](operator: StoredOperator)(
      rows: (Int, StateOfPartition) => Iterator[T]
  ): RDD[T] = {
    val states = statesOf(operator)
    partitionsOf(operator)
      .mapPartitions(_.flatMap(partition => rows(partition, states.of(partition))))
  }

  /** Returns why partitions cannot be read: `read` reads the state of a partition. */
  def problems(operator: StoredOperator)(read: (Int, StateOfPartition) => Unit): Seq[String] = {
    val states = statesOf(operator)
    partitionsOf(operator).mapPartitions(_.flatMap { partition =>
      try {
        read(partition, states.of(partition))
        None
      } catch {
        case NonFatal(failure) =>
          Some(s"operator ${operator.number}, partition $partition: ${FailureText(failure)}")
      }
    }).collect().toSeq
  }

  private def partitionsOf(operator: StoredOperator): RDD[Int] =
    session.sparkContext.parallelize(0 until operator.partitions, operator.partitions)

  private def statesOf(operator: StoredOperator): CommittedStates = {
    val place = StatefulOperatorStateInfo(
      last.state,
      UUID.randomUUID,
      operator.number,
      version,
      operator.partitions,
      stateStoreCkptIds = last.committed.stateUniqueIds.flatMap(_.get(operator.number))
    )
    CommittedStates(place, session)
  }

  /** Returns true if a query of this application is running with the checkpoint. */
  def isInUse: Boolean = {
    val own = StoredCheckpoint.qualified(session, last.checkpoint)
    session.sharedState.activeStreamingQueries.values.asScala
      .exists(query => StoredCheckpoint.qualified(session, query.resolvedCheckpointRoot) == own)
  }
}

object StoredCheckpoint {
  private[spark] val Ours = "muntin"

  /** Returns the state after the micro-batch. */
  def apply(session: AnySession, last: CommittedBatch): StoredCheckpoint =
    new StoredCheckpoint(EndedStream.sessionOf(session, last, Nil), last)

  private def qualified(session: SparkSession, folder: String): Path = {
    val path = new Path(folder)
    path.getFileSystem(session.sessionState.newHadoopConf()).makeQualified(path)
  }
}
