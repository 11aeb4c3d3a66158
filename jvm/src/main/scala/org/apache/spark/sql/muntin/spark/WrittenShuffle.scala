package org.apache.spark.sql.muntin.spark

import org.apache.spark.{MapOutputTrackerMaster, SparkEnv}
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.{
  CoalescedPartitionSpec,
  PartialMapperPartitionSpec,
  ShufflePartitionSpec,
  SparkPlan
}
import org.apache.spark.sql.execution.adaptive.{AQEShuffleReadExec, ShuffleQueryStageExec}

/** A shuffle that was written before the plan above it runs, for adaptive execution. */
final class WrittenShuffle private (stage: ShuffleQueryStageExec) {

  /** The shuffle as a leaf of the plan. */
  def plan: SparkPlan = stage

  /** The shuffle; None if another engine runs it. */
  def shuffle: Option[RowShuffle] = RowShuffle.unapply(stage.shuffle)

  /** The number of tasks that have written it. */
  def mappers: Int = stage.shuffle.numMappers

  /** The bytes of each of its partitions, if known. */
  def bytes: Option[IndexedSeq[Long]] = stage.mapStats.map(_.bytesByPartitionId.toIndexedSeq)

  /** Returns how many bytes each mapper has written to `partitions`. Call it on the driver. */
  def bytesOfMappers(partitions: Range): Array[Long] = SparkEnv.get.mapOutputTracker match {
    case tracker: MapOutputTrackerMaster =>
      tracker
        .shuffleStatuses(ofSpark.id)
        .withMapStatuses(_.map { status =>
          if (status == null) 0L else partitions.iterator.map(status.getSizeForBlock).sum
        })
        .padTo(mappers, 0L)
    case other => throw new IllegalStateException(s"not on the driver: $other")
  }

  /** Returns an RDD whose tasks each read a range of partitions. */
  def read(tasks: Seq[Range]): RDD[InternalRow] =
    readAll(tasks.map(of => CoalescedPartitionSpec(of.start, of.end, None)))

  /** Returns an RDD whose tasks each read one mapper's part of some partitions. */
  def readOfMappers(tasks: Seq[(Int, Range)]): RDD[InternalRow] =
    readAll(tasks.map { case (mapper, of) =>
      PartialMapperPartitionSpec(mapper, of.start, of.end)
    })

  private def readAll(tasks: Seq[ShufflePartitionSpec]): RDD[InternalRow] =
    stage.shuffle.getShuffleRDD(tasks.toArray).asInstanceOf[RDD[InternalRow]]

  private def ofSpark: RowShuffle = shuffle.getOrElse(
    throw new IllegalStateException(s"not a Spark shuffle: ${stage.shuffle}")
  )
}

object WrittenShuffle {
  def unapply(plan: SparkPlan): Option[WrittenShuffle] = plan match {
    case stage: ShuffleQueryStageExec => Some(new WrittenShuffle(stage))
    case _ => None
  }

  /**
   * Matches an operator that reads whole partitions of a shuffle, and returns the partitions of
   * each task.
   */
  object Read {
    def unapply(plan: SparkPlan): Option[(WrittenShuffle, Seq[Range])] = plan match {
      case AQEShuffleReadExec(WrittenShuffle(written), specs) =>
        val tasks = specs.collect { case CoalescedPartitionSpec(first, end, _) =>
          first until end
        }
        Option.when(tasks.size == specs.size)((written, tasks))
      case stage: ShuffleQueryStageExec =>
        val each = (0 until stage.shuffle.numPartitions).map(i => i until i + 1)
        Some((new WrittenShuffle(stage), each))
      case _ => None
    }
  }
}
