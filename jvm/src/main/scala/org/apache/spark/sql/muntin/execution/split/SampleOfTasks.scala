package org.apache.spark.sql.muntin.execution.split

import java.util.function.Supplier

import scala.jdk.CollectionConverters._

import org.apache.spark.{SparkContext, TaskContext}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.util.CollectionAccumulator

/**
 * Collects the samples that tasks draw from the rows that they write to a shuffle. The samples are
 * sent to the driver in classes of Spark: Spark's reader of accumulators does not find the classes
 * of a jar that was added to a running session. `outputRows` counts the rows.
 */
final class SampleOfTasks(
    collected: CollectionAccumulator[SampleOfTasks.Drawn],
    outputRows: SQLMetric
) extends Supplier[RowSampler]
    with Serializable {
  import SampleOfTasks._

  /** Returns one sample of each task's partition, even if it ran several times. */
  def samples: Seq[RowSample] =
    collected.value.asScala
      .map { case (partition, count, rows) => partition -> RowSample(count, rows) }
      .toMap.values.toVector

  /** Returns the sampler of the running task; its sample is sent when the task ends. */
  override def get(): RowSampler = {
    val context = TaskContext.get()
    val partition = context.partitionId()
    val size = math.max(1, math.min(MostOfTask, Most / context.numPartitions()))
    val bytes = math.max(LeastBytes, size * BytesOfRow)
    val sampler = new RowSampler(size, bytes, partition.toLong)
    context.addTaskCompletionListener[Unit] { _ =>
      val sample = sampler.sample
      outputRows += sample.count
      if (sample.rows.nonEmpty) collected.add((partition, sample.count, sample.rows))
    }
    sampler
  }
}

object SampleOfTasks {

  /** A task's partition, its number of rows, and the drawn rows. */
  type Drawn = (Int, Long, Array[UnsafeRow])

  /**
   * How many rows one task draws at most, and how many all tasks draw together. Each task draws at
   * least one.
   */
  private val MostOfTask = 1 << 12
  private val Most = 1 << 15

  /** A sample's bytes per row; fewer rows are drawn if rows are larger. */
  private val BytesOfRow = 256L

  /** A row of at most this size can be drawn, for any number of tasks. */
  private val LeastBytes = 2048L

  def apply(context: SparkContext, outputRows: SQLMetric): SampleOfTasks = {
    val collected = new CollectionAccumulator[Drawn]
    context.register(collected)
    new SampleOfTasks(collected, outputRows)
  }
}
