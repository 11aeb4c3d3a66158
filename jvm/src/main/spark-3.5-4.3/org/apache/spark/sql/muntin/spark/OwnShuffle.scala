package org.apache.spark.sql.muntin.spark

import org.apache.spark.{PartitionIdPassthrough, ShuffleDependency, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.shuffle.sort.SortShuffleManager
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.UnsafeRowSerializer
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}

/** A shuffle within an operator of our own: each row says to which partition it goes. */
object OwnShuffle {
  type Shuffle = ShuffleDependency[Int, InternalRow, InternalRow]

  /** The numbers that an operator with such a shuffle has to have. */
  def metrics(context: SparkContext): Map[String, SQLMetric] =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context) ++
      SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context) +
      ("dataSize" -> SQLMetrics.createSizeMetric(context, "data size"))

  /** `fields`: how many columns the rows have. */
  def apply(
      rows: RDD[Product2[Int, InternalRow]],
      partitions: Int,
      fields: Int,
      metrics: Map[String, SQLMetric]
  ): Shuffle = new ShuffleDependency[Int, InternalRow, InternalRow](
    rows,
    new PartitionIdPassthrough(partitions),
    new UnsafeRowSerializer(fields, metrics("dataSize")),
    shuffleWriterProcessor = ShuffleExchangeExec.createShuffleWriteProcessor(metrics)
  )

  /** What `mappers` wrote to the partitions `from` until `until`. */
  def read(
      shuffle: Shuffle,
      mappers: Range,
      from: Int,
      until: Int,
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): Iterator[InternalRow] = {
    val read = context.taskMetrics().createTempShuffleReadMetrics()
    ShuffleManagers
      .of(shuffle)
      .getReader[Int, InternalRow](
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
