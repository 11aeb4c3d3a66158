package org.apache.spark.sql.muntin.spark

import scala.reflect.ClassTag

import org.apache.spark.{PartitionIdPassthrough, ShuffleDependency, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.sql.execution.UnsafeRowSerializer
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}

/** A shuffle within an operator of our own, of rows as `A`, each with its partition. */
object OwnShuffle {
  type Shuffle[A] = ShuffleDependency[Int, A, A]

  /** The numbers that an operator with such a shuffle has to have. */
  def metrics(context: SparkContext): Map[String, SQLMetric] =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context) ++
      SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context) +
      ("dataSize" -> SQLMetrics.createSizeMetric(context, "data size"))

  def apply[A: ClassTag](
      rows: RDD[Product2[Int, A]],
      partitions: Int,
      serializer: Serializer,
      metrics: Map[String, SQLMetric]
  ): Shuffle[A] = new ShuffleDependency[Int, A, A](
    rows,
    new PartitionIdPassthrough(partitions),
    serializer,
    shuffleWriterProcessor = ShuffleExchangeExec.createShuffleWriteProcessor(metrics)
  )

  /** Writes rows of so many columns one by one. */
  def rowSerializer(fields: Int, metrics: Map[String, SQLMetric]): Serializer =
    new UnsafeRowSerializer(fields, metrics("dataSize"))

  /** What `mappers` wrote to the partitions `from` until `until`. */
  def read[A](
      shuffle: Shuffle[A],
      mappers: Range,
      from: Int,
      until: Int,
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): Iterator[A] = {
    val read = context.taskMetrics().createTempShuffleReadMetrics()
    ShuffleManagers
      .of(shuffle)
      .getReader[Int, A](
        shuffle.shuffleHandle,
        mappers.start,
        mappers.end,
        from,
        until,
        context,
        new SQLShuffleReadMetricsReporter(read, metrics)
      )
      .read()
      .map(_._2)
  }

  /** Whether what writes a shuffle of rows is done with each when it asks for the next. */
  def writesRowsAtOnce: Boolean =
    ShuffleManagers.ofBatches.isInstanceOf[SortShuffleManager]
}
