package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.execution.{CoalescedPartitionSpec, PartialReducerPartitionSpec}
import org.apache.spark.sql.execution.adaptive.ShuffleQueryStageExec

/** How several tasks read what would be one task's of a shuffle: each what some of the mappers wrote. */
final case class ShuffleSlices(bytes: Array[Long], mappers: Int, tasks: Int) {
  def of(spec: CoalescedPartitionSpec): Seq[PartialReducerPartitionSpec] =
    for {
      reducer <- spec.startReducerIndex until spec.endReducerIndex
      if bytes(reducer) > 0L
      slices = math.min(tasks, mappers)
      slice <- 0 until slices
    } yield PartialReducerPartitionSpec(
      reducer,
      (slice.toLong * mappers / slices).toInt,
      ((slice + 1L) * mappers / slices).toInt,
      bytes(reducer) / slices
    )
}

object ShuffleSlices {
  def apply(stage: ShuffleQueryStageExec, tasks: Int): ShuffleSlices =
    ShuffleSlices(
      stage.mapStats.fold(Array.empty[Long])(_.bytesByPartitionId),
      stage.shuffle.numMappers,
      tasks
    )
}
