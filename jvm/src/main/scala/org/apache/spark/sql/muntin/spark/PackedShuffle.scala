package org.apache.spark.sql.muntin.spark

import scala.reflect.ClassTag

import org.apache.spark.{PartitionIdPassthrough, ShuffleDependency, SparkContext, TaskContext}
import org.apache.spark.rdd.RDD
import org.apache.spark.serializer.Serializer
import org.apache.spark.shuffle.{ShuffleWriteMetricsReporter, ShuffleWriteProcessor}
import org.apache.spark.sql.execution.metric.{
  SQLMetric,
  SQLMetrics,
  SQLShuffleReadMetricsReporter,
  SQLShuffleWriteMetricsReporter
}

/** A Muntin shuffle of packs of rows, each with its partition. Its metrics count rows. */
object PackedShuffle {
  type Shuffle[P] = ShuffleDependency[Int, P, P]

  /** The metrics that an operator with such a shuffle needs. */
  def metrics(context: SparkContext): Map[String, SQLMetric] =
    SQLShuffleWriteMetricsReporter.createShuffleWriteMetrics(context) ++
      SQLShuffleReadMetricsReporter.createShuffleReadMetrics(context) +
      ("dataSize" -> SQLMetrics.createSizeMetric(context, "data size"))

  def apply[P <: Packed: ClassTag](
      packs: RDD[Product2[Int, P]],
      partitions: Int,
      serializer: Serializer,
      metrics: Map[String, SQLMetric]
  ): Shuffle[P] = {
    val counted = packs.mapPartitionsInternal { packs =>
      val written = writing(TaskContext.get(), metrics)
      packs.map { pack =>
        written.incRecordsWritten(pack._2.rows.toLong)
        pack
      }
    }
    new ShuffleDependency[Int, P, P](
      counted,
      new PartitionIdPassthrough(partitions),
      serializer,
      shuffleWriterProcessor = new PackWriter(metrics)
    )
  }

  private[spark] def writing(
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): SQLShuffleWriteMetricsReporter =
    new SQLShuffleWriteMetricsReporter(context.taskMetrics().shuffleWriteMetrics, metrics)

  /** Reads what `mappers` wrote to the partitions `from` until `until`. */
  def read[P <: Packed](
      shuffle: Shuffle[P],
      mappers: Range,
      from: Int,
      until: Int,
      context: TaskContext,
      metrics: Map[String, SQLMetric]
  ): Iterator[P] = {
    val reporter = new PackedRows.Reporter(context, metrics)
    reporter.counted(
      ShuffleManagers
        .of(shuffle)
        .getReader[Int, P](
          shuffle.shuffleHandle,
          mappers.start,
          mappers.end,
          from,
          until,
          context,
          reporter
        )
    )
  }
}

/** Counts writes as Spark does, except records: it counts rows, not packs. */
private final class PackWriter(metrics: Map[String, SQLMetric]) extends ShuffleWriteProcessor {
  override protected def createMetricsReporter(context: TaskContext): ShuffleWriteMetricsReporter =
    new PackWriter.Reporter(PackedShuffle.writing(context, metrics))
}

private object PackWriter {
  private final class Reporter(to: ShuffleWriteMetricsReporter)
      extends ShuffleWriteMetricsReporter {
    override def incBytesWritten(bytes: Long): Unit = to.incBytesWritten(bytes)
    override def incRecordsWritten(records: Long): Unit = ()
    override def incWriteTime(time: Long): Unit = to.incWriteTime(time)
    override def decBytesWritten(bytes: Long): Unit = to.decBytesWritten(bytes)
    override def decRecordsWritten(records: Long): Unit = ()
  }
}
