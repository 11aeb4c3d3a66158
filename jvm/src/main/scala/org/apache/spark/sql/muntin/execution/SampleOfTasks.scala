package org.apache.spark.sql.muntin.execution

import org.apache.spark.TaskContext
import org.apache.spark.util.AccumulatorV2

/** What tasks have drawn of the rows that they write to a shuffle, one sample of each partition however often it ran. */
final class SampleOfTasks extends AccumulatorV2[(Int, RowSample), Map[Int, RowSample]] {
  @volatile private var samples = Map.empty[Int, RowSample]

  override def isZero: Boolean = samples.isEmpty

  override def reset(): Unit = samples = Map.empty

  override def copy(): SampleOfTasks = {
    val copied = new SampleOfTasks
    copied.samples = samples
    copied
  }

  override def add(sample: (Int, RowSample)): Unit = samples += sample

  override def merge(other: AccumulatorV2[(Int, RowSample), Map[Int, RowSample]]): Unit =
    samples ++= other.value

  override def value: Map[Int, RowSample] = samples

  /** For the rows of the task that runs, which has told what it has drawn when it ends. */
  def sampler(): RowSampler = {
    val context = TaskContext.get()
    val partition = context.partitionId()
    val size = math.min(SampleOfTasks.MostOfTask, SampleOfTasks.Most / context.numPartitions())
    val sampler = new RowSampler(math.max(1, size), partition.toLong)
    context.addTaskCompletionListener[Unit] { _ =>
      val sample = sampler.sample
      if (sample.count > 0L) add(partition -> sample)
    }
    sampler
  }
}

object SampleOfTasks {

  /** How many rows one task draws, and how many all of them together, where they are not more tasks. */
  private val MostOfTask = 1 << 12
  private val Most = 1 << 15
}
