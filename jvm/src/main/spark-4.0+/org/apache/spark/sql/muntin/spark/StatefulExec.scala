package org.apache.spark.sql.muntin.spark

import java.util.UUID

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.{
  Ascending,
  Attribute,
  AttributeSet,
  Literal,
  SortOrder
}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.catalyst.streaming.InternalOutputModes
import org.apache.spark.sql.execution.{BinaryExecNode, LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  SessionWindowStateStoreSaveExec,
  StateStoreSaveExec,
  StatefulOperatorCustomMetric,
  StatefulOperatorCustomSumMetric,
  StatefulOperatorPartitioning,
  StatefulOperatorStateInfo,
  StreamingGlobalLimitExec
}
import org.apache.spark.sql.execution.streaming.operators.stateful.join.{
  StreamingSymmetricHashJoinExec => StreamJoinExec
}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.streaming.{OutputMode, StateOperatorProgress}
import org.apache.spark.sql.types.{BinaryType, StructField, StructType}

/**
 * A Muntin operator with state.
 *
 * Spark's streaming engine assigns a place in the checkpoint only to Spark's own operators: it
 * matches their classes, from the top of the plan. So an operator with state is planned with one of
 * Spark's operators as a messenger above its rows:
 * {{{
 *   MuntinStream                 MuntinStream, operator 0
 *   +- messenger           =>    +- rows
 *      +- rows
 * }}}
 * When Spark has assigned a place to the messenger, the operator receives its new children: it
 * takes the place, and the rows without the messenger. The messenger is directly below the
 * operator, so operators have the same numbers as if Spark assigned them. All else uses
 * `StateStoreWriter`, the trait of all operators with state. All other information is derived from
 * the place (`MicroBatch`).
 */
abstract class StatefulExec extends BinaryExecNode with StateWriter {

  /** None until the micro-batch is planned. */
  def batch: Option[MicroBatch]

  /** The rows, sorted by group; `StatefulExec.unplaced` of them until the place is known. */
  def rows: SparkPlan

  /** The second input, with any distribution. */
  def marksPlan: SparkPlan

  protected def keys: Seq[Attribute]

  /** True if the state has a single partition. */
  protected def isSingle: Boolean

  /** Returns the same operator in a micro-batch, over other children. */
  protected def withBatch(
      batch: Option[MicroBatch],
      rows: SparkPlan,
      marksPlan: SparkPlan
  ): StatefulExec

  /** The column families of the state, in addition to the family that every store has. */
  protected def families: Seq[StatefulExec.Family]

  /** Custom metrics in the progress of a query, each with a description. */
  protected def counts: Seq[(String, String)]

  /** The number of late rows that the operators below have dropped. */
  protected def droppedBelow: Long

  /** The operator's properties: a checkpoint with other properties is rejected. */
  protected def properties: Seq[(String, String)]

  override final def left: SparkPlan = rows

  override final def right: SparkPlan = marksPlan

  override final def stateInfo: Option[StatefulOperatorStateInfo] = batch.map(_.place)

  override protected final def withNewChildrenInternal(
      newRows: SparkPlan,
      newMarksPlan: SparkPlan
  ): SparkPlan = newRows match {
    case StatefulExec.Messenger(Some(place), mode, below) =>
      val own = if (isSingle) place.copy(numPartitions = 1) else place
      withBatch(
        Some(new MicroBatch(own, mode.contains(InternalOutputModes.Update), session)),
        below,
        newMarksPlan
      )
    case _ => withBatch(batch, newRows, newMarksPlan)
  }

  // Its state is not shared: no other operator has the same results.
  override protected def doCanonicalize(): SparkPlan = this

  override final def customStatefulOperatorMetrics: Seq[StatefulOperatorCustomMetric] =
    counts.map { case (name, description) => StatefulOperatorCustomSumMetric(name, description) }

  override final def getProgress(): StateOperatorProgress =
    DroppedRows.add(droppedBelow, super.getProgress())

  override protected final def writtenVersion: Int = StatefulExec.SchemaVersion

  override def producedAttributes: AttributeSet = outputSet -- rows.outputSet

  override def requiredChildDistribution: Seq[Distribution] = Seq(
    StatefulOperatorPartitioning.getCompatibleDistribution(
      // Not AllTuples: every partition of the state must exist to be committed.
      if (keys.isEmpty) Seq(Literal(0)) else keys,
      getStateInfo,
      conf
    ),
    UnspecifiedDistribution
  )

  override def requiredChildOrdering: Seq[Seq[SortOrder]] =
    Seq(keys.map(SortOrder(_, Ascending)), Nil)

  override def getColFamilySchemas(
      shouldBeNullable: Boolean
  ): Map[String, StateStoreColFamilySchema] = {
    val default =
      StatefulExec.Family.plain(StateStore.DEFAULT_COL_FAMILY_NAME, StatefulExec.DefaultKey)
    (default +: families).map { f =>
      f.name ->
        StateStoreColFamilySchema(f.name, 0, f.key, 0, StatefulExec.Value, Some(f.encoder))
    }.toMap
  }

  // The version with column families, and properties of the operator.
  override def operatorStateMetadataVersion: Int = 2

  override def operatorStateMetadata(paths: List[List[String]]): OperatorStateMetadata = {
    val place = getStateInfo
    OperatorStateMetadataV2(
      OperatorInfoV1(place.operatorId, shortName),
      Array(
        StateStoreMetadataV2(
          StateStoreId.DEFAULT_STORE_NAME,
          0,
          place.numPartitions,
          paths.headOption.getOrElse(Nil)
        )
      ),
      StatefulExec.toJson(properties)
    )
  }

  override def validateNewMetadata(
      oldMetadata: OperatorStateMetadata,
      newMetadata: OperatorStateMetadata
  ): Unit = difference(oldMetadata).foreach { difference =>
    throw difference.error(getStateInfo.checkpointLocation)
  }

  /**
   * Returns how the operator differs from the operator that a checkpoint has in its place.
   *
   * @param isPart
   *   true if the checkpoint's query has other operators above
   */
  private[spark] final def difference(
      stored: OperatorStateMetadata,
      isPart: Boolean = false
  ): Option[QueryDifference] =
    stored match {
      case old: OperatorStateMetadataV2 =>
        val before = StatefulExec.fromJson(old.operatorPropertiesJson)
        val now = properties.toMap
        // Another layout may explain other differences.
        val names =
          (before.keySet ++ now.keySet).toSeq.sortBy(k => (k != QueryDifference.Layout, k))
            .filterNot(isPart && _ == StatefulExec.HeldBackAbove._1)
        names.find(k => before.get(k) != now.get(k)).map { name =>
          QueryDifference(name, before.get(name), now.get(name))
        }
      case _ => None
    }

  /** Names the operator among the operators of a query. */
  private[muntin] final def title: String = StatefulExec.title(shortName, properties.toMap)

  /** Returns the operator's properties, as a checkpoint stores them. */
  private[muntin] final def storedProperties: Map[String, String] = properties.toMap

  /** The operator's number in the query. */
  private[muntin] final def number: Long = getStateInfo.operatorId

  /** The number of partitions of the operator's state. */
  private[muntin] final def partitions: Int = getStateInfo.numPartitions

  protected final def mapWithState[R: ClassTag, T: ClassTag](rows: RDD[R])(
      run: (StateOfPartition, Iterator[R]) => Iterator[T]
  ): RDD[T] =
    batch.flatMap(_.atEnd).fold {
      val results =
        new StateStoreOps(StatefulExec.withoutReadStore(rows)).mapPartitionsWithStateStore[T](
          getStateInfo,
          StatefulExec.DefaultKey,
          StatefulExec.Value,
          NoPrefixKeyStateEncoderSpec(StatefulExec.DefaultKey),
          session.sessionState,
          Some(session.streams.stateStoreCoordinator),
          useColumnFamilies = true
        )((store, found) => run(new StateOfPartition(store), found))
      UnreadableState.reported(results, getStateInfo)
    } { place =>
      val states = CommittedStates(place, session)
      rows.mapPartitionsWithIndexInternal((i, found) => run(states.of(i), found))
    }

  /** The run of the query. */
  protected final def run: UUID = getStateInfo.queryRunId

  /**
   * Updates the metrics of the store when the state is committed. If the store does not count its
   * rows, they are `entries`.
   */
  protected final def measure(state: StateOfPartition, entries: Long): Unit = state match {
    case _: CommittedState =>
    case _ =>
      countStore(state.store)
      if (longMetric("numTotalStateRows").value <= 0L) longMetric("numTotalStateRows").set(entries)
      setOperatorMetrics(1)
  }
}

object StatefulExec {

  /** A column family of the state, with one binary value. */
  final case class Family private (name: String, key: StructType, encoder: KeyStateEncoderSpec)

  object Family {
    def plain(name: String, key: StructType): Family =
      new Family(name, key, NoPrefixKeyStateEncoderSpec(key))

    /** Returns a family that is ordered by the key's first column. */
    def ordered(name: String, key: StructType): Family =
      new Family(name, key, RangeKeyScanStateEncoderSpec(key, Seq(0)))
  }

  /** Every store has a family of this name, which is empty. */
  val DefaultKey: StructType =
    StructType(Seq(StructField("group", BinaryType, nullable = false)))

  val Value: StructType =
    StructType(Seq(StructField("value", BinaryType, nullable = false)))

  /** The version of schema files with column families. */
  private val SchemaVersion = 3

  /** Returns the output modes of Spark aggregations in `plan` that emit a row more than once. */
  def repeatingModes(plan: SparkPlan): Seq[String] = plan.collect {
    case save: StateStoreSaveExec if !save.outputMode.contains(InternalOutputModes.Append) =>
      save.outputMode.fold("")(_.toString)
  }

  /** The property of an operator that stores its state for output mode update. */
  val OutputMode: (String, String) = "output mode" -> "update"

  /**
   * The property of an operator whose state has the time to which it holds back downstream
   * operators.
   */
  val HeldBackAbove: (String, String) = "time above" -> "held back to the oldest row that waits"

  /** Returns true if an operator stores its state for output mode update. */
  private[spark] def isOfUpdate(operator: OperatorStateMetadata): Boolean = operator match {
    case ours: OperatorStateMetadataV2 =>
      fromJson(ours.operatorPropertiesJson).exists(_ == OutputMode)
    case _ => false
  }

  /** Names an operator of a checkpoint among its operators. */
  private[spark] def title(operator: OperatorStateMetadata): String = {
    val name = EndedStream.info(operator)._2
    operator match {
      case ours: OperatorStateMetadataV2 => title(name, fromJson(ours.operatorPropertiesJson))
      case _ => name
    }
  }

  private[spark] def title(name: String, properties: Map[String, String]): String =
    properties.get("window").fold(name) { window =>
      window + properties.get("keys").filter(_.nonEmpty).fold("")(keys => s" by $keys")
    }

  /** Returns Spark's operators in `plan` that retain rows for which no later row may arrive. */
  def waitingOperators(plan: SparkPlan): Seq[String] = plan.collect {
    case save: StateStoreSaveExec if save.outputMode.contains(InternalOutputModes.Append) =>
      save.nodeName
    case save: SessionWindowStateStoreSaveExec
        if save.outputMode.contains(InternalOutputModes.Append) =>
      save.nodeName
    case join: StreamJoinExec if join.joinType != Inner => join.nodeName
  }

  /** For operators without a second input. */
  def noMarksPlan: SparkPlan = LocalTableScanExec(Nil, Nil, None)

  /** Wraps the rows of an operator that has no place in the checkpoint yet. */
  def unplaced(rows: SparkPlan): SparkPlan = Messenger(rows)

  /** Spark's operator with the fewest parameters, with a limit that no query has. */
  private object Messenger {
    private val NoLimit = -1L

    def apply(rows: SparkPlan): SparkPlan = StreamingGlobalLimitExec(NoLimit, rows)

    def unapply(
        plan: SparkPlan
    ): Option[(Option[StatefulOperatorStateInfo], Option[OutputMode], SparkPlan)] =
      plan match {
        case limit: StreamingGlobalLimitExec if limit.streamLimit == NoLimit =>
          Some((limit.stateInfo, limit.outputMode, limit.child))
        case _ => None
      }
  }

  /** When `rows` are available, the operators below have their stores. */
  private def withoutReadStore[R: ClassTag](rows: RDD[R]): RDD[R] = rows.mapPartitions(
    found => {
      ReadStores.forget()
      found
    },
    preservesPartitioning = true
  )

  private def toJson(properties: Seq[(String, String)]): String = {
    val mapper = new com.fasterxml.jackson.databind.ObjectMapper
    val node = mapper.createObjectNode()
    properties.foreach { case (k, v) => node.put(k, v) }
    mapper.writeValueAsString(node)
  }

  private[spark] def fromJson(json: String): Map[String, String] = {
    val node = new com.fasterxml.jackson.databind.ObjectMapper().readTree(json)
    val names = node.fieldNames()
    Iterator.continually(names).takeWhile(_.hasNext).map { n =>
      val name = n.next()
      name -> node.get(name).asText
    }.toMap
  }
}
