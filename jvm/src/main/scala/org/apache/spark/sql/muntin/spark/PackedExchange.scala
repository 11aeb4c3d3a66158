package org.apache.spark.sql.muntin.spark

import scala.concurrent.Future
import scala.reflect.ClassTag

import org.apache.spark.{MapOutputStatistics, ShuffleDependency}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.plans.logical.Statistics
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  CollapseCodegenStages,
  SQLExecution,
  ShufflePartitionSpec,
  SparkPlan
}
import org.apache.spark.sql.execution.exchange.{ShuffleExchangeExec, ShuffleExchangeLike}
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}

/** Several rows of one partition, which a shuffle moves as one record. */
trait Packed {
  def rows: Int
}

/**
 * A shuffle of packs of rows by Spark's own shuffle manager, which adaptive execution treats as any
 * other shuffle. It returns rows to its parent; an operator that can read packs takes them from the
 * RDD of rows (`UnpackedRows`).
 */
abstract class PackedExchange[P <: Packed: ClassTag] extends ShuffleExchangeLike {
  private lazy val writeMetrics =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(sparkContext)
  private lazy val readMetrics =
    SQLShuffleReadMetricsReporter.createShuffleReadMetrics(sparkContext)

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "dataSize" -> SQLMetrics.createSizeMetric(sparkContext, "data size"),
    "numPartitions" -> SQLMetrics.createMetric(sparkContext, "number of partitions")
  ) ++ readMetrics ++ writeMetrics

  /** Returns the packs, each with the partition of its rows. */
  protected def packed(): RDD[Product2[Int, P]]

  protected def serializer: Serializer

  /** The child as in Spark's own shuffle. */
  protected def rows: SparkPlan

  /** Converts packs to rows; a row is valid until the next. */
  protected def unpack: Iterator[P] => Iterator[InternalRow]

  // Equal to Spark's own shuffle of the same rows: a query reuses the first of the two, also in a
  // subquery. When Spark compares them, it has inserted column-to-row transitions, with generated
  // code around them.
  override protected def doCanonicalize(): SparkPlan = {
    val ofRows = ShuffleExchangeExec(outputPartitioning, rows, shuffleOrigin)
    (if (child.supportsColumnar) CollapseCodegenStages()(ofRows) else ofRows).canonicalized
  }

  override def advisoryPartitionSize: Option[Long] = None

  override def numPartitions: Int = outputPartitioning.numPartitions

  override def numMappers: Int = packs.getNumPartitions

  // Since Spark 4.0.
  def shuffleId: Int = dependency.shuffleId

  @transient private lazy val packs: RDD[Product2[Int, P]] = packed()

  @transient override lazy val mapOutputStatisticsFuture: Future[MapOutputStatistics] =
    if (packs.getNumPartitions == 0) Future.successful(null)
    else {
      val job = sparkContext.submitMapStage(dependency)
      ShuffleJob.begun(this, job)
      job
    }

  @transient private[spark] lazy val dependency: ShuffleDependency[Int, P, P] = {
    metrics("numPartitions").set(numPartitions)
    val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
    SQLMetrics.postDriverMetricUpdates(sparkContext, execution, metrics("numPartitions") :: Nil)
    PackedShuffle(packs, numPartitions, serializer, writeMetrics)
  }

  override def getShuffleRDD(specs: Array[ShufflePartitionSpec]): RDD[InternalRow] =
    new UnpackedRows(new PackedRows(dependency, readMetrics, specs), unpack)

  // Shared by all plans that contain this exchange.
  @transient private lazy val allRows: RDD[InternalRow] = getShuffleRDD(
    Array.tabulate(numPartitions)(i => CoalescedPartitionSpec(i, i + 1, None))
  )

  override protected def doExecute(): RDD[InternalRow] = allRows

  override def runtimeStatistics: Statistics = Statistics(
    BigInt(metrics("dataSize").value),
    Some(BigInt(metrics(SQLShuffleWriteMetricsReporter.SHUFFLE_RECORDS_WRITTEN).value))
  )
}
