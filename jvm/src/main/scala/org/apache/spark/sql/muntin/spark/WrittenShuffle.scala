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

/** A shuffle that has been written, before the plan above it runs: adaptive execution knows it. */
final class WrittenShuffle private (stage: ShuffleQueryStageExec) {

  /** The shuffle as a leaf of the plan. */
  def plan: SparkPlan = stage

  /** None where another engine has shuffled. */
  def shuffle: Option[RowShuffle] = RowShuffle.unapply(stage.shuffle)

  /** How many tasks have written it. */
  def mappers: Int = stage.shuffle.numMappers

  /** How many bytes each of its partitions has, where that is known. */
  def bytes: Option[IndexedSeq[Long]] = stage.mapStats.map(_.bytesByPartitionId.toIndexedSeq)

  /** How many bytes each mapper has written of some `partitions`; asked on the driver. */
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

  /** The rows of some partitions for each task. */
  def read(tasks: Seq[Range]): RDD[InternalRow] =
    readAll(tasks.map(of => CoalescedPartitionSpec(of.start, of.end, None)))

  /** For each task, what one mapper wrote of some partitions. */
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

  /** What reads a shuffle, and which partitions each task reads, where tasks read them whole. */
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
