package org.apache.spark.sql.muntin

import scala.reflect.ClassTag

import org.apache.hadoop.conf.Configuration
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.{Distribution, UnspecifiedDistribution}
import org.apache.spark.sql.execution.{LocalTableScanExec, SparkPlan}
import org.apache.spark.sql.execution.streaming.operators.stateful.{
  StatefulOperatorPartitioning,
  StatefulOperatorStateInfo
}
import org.apache.spark.sql.execution.streaming.operators.stateful.transformwithstate.{
  TransformWithStateExec,
  TransformWithStateVariableInfo
}
import org.apache.spark.sql.execution.streaming.state._
import org.apache.spark.sql.muntin.streaming.StreamStore
import org.apache.spark.sql.streaming.{OutputMode, StatefulProcessor, TimeMode}

/** What Spark's streaming engine tells an operator with state. */
final case class StatefulInfo(
    stateInfo: Option[StatefulOperatorStateInfo] = None,
    batchTimestampMs: Option[Long] = None,
    prevBatchTimestampMs: Option[Long] = None,
    watermarkForLateEvents: Option[Long] = None,
    watermarkForEviction: Option[Long] = None
) {

  /** The same for an operator whose state is one partition. */
  def single: StatefulInfo = copy(stateInfo = stateInfo.map(_.copy(numPartitions = 1)))
}

/**
 * An operator with state of its own making. Spark's engine knows its own operators alone: it gives them
 * their place in the checkpoint and the watermarks by `copy`. So this is one of them, of which nothing is
 * left but that.
 */
abstract class StatefulExec(
    keys: Seq[Attribute],
    info: StatefulInfo,
    rows: SparkPlan,
    beside: SparkPlan
) extends TransformWithStateExec(
      keyDeserializer = Literal(0),
      valueDeserializer = Literal(0),
      groupingAttributes = keys,
      dataAttributes = Nil,
      statefulProcessor = null,
      timeMode = TimeMode.EventTime(),
      outputMode = OutputMode.Append(),
      keyEncoder = null,
      outputObjAttr = StatefulExec.nothing,
      stateInfo = info.stateInfo,
      batchTimestampMs = info.batchTimestampMs,
      prevBatchTimestampMs = info.prevBatchTimestampMs,
      eventTimeWatermarkForLateEvents = info.watermarkForLateEvents,
      eventTimeWatermarkForEviction = info.watermarkForEviction,
      child = rows,
      initialStateGroupingAttrs = Nil,
      initialStateDataAttrs = Nil,
      initialStateDeserializer = Literal(0),
      initialState = beside
    ) {

  /** The same operator, told something else; `beside`, where Spark's own has the state that it begins with. */
  protected def withInfo(info: StatefulInfo, child: SparkPlan, beside: SparkPlan): StatefulExec

  protected def families: Seq[StreamStore.Family]

  /** What it computes: a checkpoint in which something else stands is refused. */
  protected def properties: Seq[(String, String)]

  // scalastyle:off argcount
  override def copy(
      keyDeserializer: Expression,
      valueDeserializer: Expression,
      groupingAttributes: Seq[Attribute],
      dataAttributes: Seq[Attribute],
      statefulProcessor: StatefulProcessor[Any, Any, Any],
      timeMode: TimeMode,
      outputMode: OutputMode,
      keyEncoder: ExpressionEncoder[Any],
      outputObjAttr: Attribute,
      stateInfo: Option[StatefulOperatorStateInfo],
      batchTimestampMs: Option[Long],
      prevBatchTimestampMs: Option[Long],
      eventTimeWatermarkForLateEvents: Option[Long],
      eventTimeWatermarkForEviction: Option[Long],
      child: SparkPlan,
      isStreaming: Boolean,
      isRealTimeMode: Boolean,
      hasInitialState: Boolean,
      initialStateGroupingAttrs: Seq[Attribute],
      initialStateDataAttrs: Seq[Attribute],
      initialStateDeserializer: Expression,
      initialState: SparkPlan
  ): TransformWithStateExec = {
    val copied = withInfo(
      StatefulInfo(
        stateInfo,
        batchTimestampMs,
        prevBatchTimestampMs,
        eventTimeWatermarkForLateEvents,
        eventTimeWatermarkForEviction
      ),
      child,
      initialState
    )
    copied
  }
  // scalastyle:on argcount

  override def clone(): SparkPlan = withInfo(info, rows.clone(), beside.clone())

  override def makeCopy(newArgs: Array[AnyRef]): SparkPlan =
    newArgs.collect { case p: SparkPlan => p } match {
      case Array(newRows, newBeside) => withInfo(info, newRows, newBeside)
      case _ => withInfo(info, rows, beside)
    }

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): TransformWithStateExec = withInfo(info, newLeft, newRight)

  override protected def doCanonicalize(): SparkPlan = this

  override def equals(other: Any): Boolean = other match {
    case that: AnyRef => this eq that
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(this)

  override def producedAttributes: AttributeSet = outputSet -- rows.outputSet

  override def requiredChildDistribution: Seq[Distribution] = Seq(
    StatefulOperatorPartitioning.getCompatibleDistribution(
      // Not AllTuples: every partition of the state has to be there to be committed.
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
    val default = StreamStore.Family(
      StateStore.DEFAULT_COL_FAMILY_NAME,
      StreamStore.DefaultKey,
      NoPrefixKeyStateEncoderSpec(StreamStore.DefaultKey)
    )
    (default +: families).map { f =>
      f.name -> StateStoreColFamilySchema(f.name, 0, f.key, 0, StreamStore.Value, Some(f.encoder))
    }.toMap
  }

  override def getStateVariableInfos(): Map[String, TransformWithStateVariableInfo] = Map.empty

  override def supportsSchemaEvolution: Boolean = false

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
  ): Unit = (oldMetadata, newMetadata) match {
    case (old: OperatorStateMetadataV2, now: OperatorStateMetadataV2) =>
      val before = StatefulExec.fromJson(old.operatorPropertiesJson)
      val after = StatefulExec.fromJson(now.operatorPropertiesJson)
      (before.keySet ++ after.keySet).toSeq.sorted.find(k => before.get(k) != after.get(k)).foreach {
        what =>
          throw StatefulExec.otherQuery(
            what,
            before.get(what),
            after.get(what),
            getStateInfo.checkpointLocation
          )
      }
    case _ => ()
  }

  override def validateAndMaybeEvolveStateSchema(
      hadoopConf: Configuration,
      batchId: Long,
      stateSchemaVersion: Int
  ): List[StateSchemaValidationResult] =
    super.validateAndMaybeEvolveStateSchema(hadoopConf, batchId, stateSchemaVersion)

  protected final def mapWithState[R: ClassTag, T: ClassTag](rows: RDD[R])(
      run: (StateStore, Iterator[R]) => Iterator[T]
  ): RDD[T] =
    new StateStoreOps(StatefulExec.withoutReadStore(rows)).mapPartitionsWithStateStore[T](
      getStateInfo,
      StreamStore.DefaultKey,
      StreamStore.Value,
      NoPrefixKeyStateEncoderSpec(StreamStore.DefaultKey),
      session.sessionState,
      Some(session.streams.stateStoreCoordinator),
      useColumnFamilies = true
    )(run)
}

object StatefulExec {

  /** Of an operator that has rows alone. */
  def nothingBeside: SparkPlan = LocalTableScanExec(Nil, Nil, None)

  /**
   * An aggregation of Spark's reads its state by one operator and writes it by the next one, and
   * finds the store that was read by the thread. It stays there until the task ends, and an
   * operator above in the same task would take it for its own. The operators below have their
   * stores when `rows` are there.
   */
  private def withoutReadStore[R: ClassTag](rows: RDD[R]): RDD[R] = rows.mapPartitions(
    found => {
      StateStoreThreadLocalTracker.clearStore()
      found
    },
    preservesPartitioning = true
  )

  private val nothing = AttributeReference("nothing", org.apache.spark.sql.types.NullType)()

  private def toJson(properties: Seq[(String, String)]): String = {
    val mapper = new com.fasterxml.jackson.databind.ObjectMapper
    val node = mapper.createObjectNode()
    properties.foreach { case (k, v) => node.put(k, v) }
    mapper.writeValueAsString(node)
  }

  private def fromJson(json: String): Map[String, String] = {
    val node = new com.fasterxml.jackson.databind.ObjectMapper().readTree(json)
    val names = node.fieldNames()
    Iterator.continually(names).takeWhile(_.hasNext).map { n =>
      val name = n.next()
      name -> node.get(name).asText
    }.toMap
  }

  private def otherQuery(
      what: String,
      before: Option[String],
      now: Option[String],
      where: String
  ) = {
    val difference = (before, now) match {
      case (None, Some(n)) => s"in it there is no $what, and here it is $n"
      case (Some(b), None) => s"in it $what is $b, and here there is none"
      case (b, n) => s"its $what is ${b.getOrElse("")}, and here ${n.getOrElse("")}"
    }
    new AnalysisException(
      errorClass = "INVALID_PARAMETER_VALUE.PATTERN",
      messageParameters = Map(
        "parameter" -> "`checkpointLocation`",
        "functionName" -> "`writeStream`",
        "value" -> (s"$where, which belongs to another query: $difference; " +
          "start a changed query with a checkpoint location of its own")
      )
    )
  }
}
