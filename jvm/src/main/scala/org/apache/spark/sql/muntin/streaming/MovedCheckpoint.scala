package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.muntin.spark.{CheckpointCopy, StoredCheckpoint, StoredOperator}

/** Copies a checkpoint of windows to the folder `to`. If it fails, it deletes the folder. */
private[streaming] object MovedCheckpoint {

  /**
   * Returns the sizes of each operator's partitions.
   *
   * @param copy
   *   the copy of `from` in `to`
   * @param partitionsOf
   *   the number of partitions of an operator's state in the copy
   */
  def apply(
      required: CheckpointRequirements,
      from: StoredCheckpoint,
      copy: CheckpointCopy,
      to: String
  )(
      partitionsOf: StoredOperator => Int
  ): Seq[(StoredOperator, Seq[PartitionSize])] = {
    required.requireFree(to, copy.isFree)
    required.requireUnused(from)
    val ofSpark = required.operatorsOfSpark(from)
    val routings = required.windows(from).map(o => StateRouting.of(o, partitionsOf(o)))
    copy.orDelete {
      copy.copyOffsets(from.operators.map(partitionsOf).max)
      copy.copyStates(ofSpark, ofSpark.find(o => partitionsOf(o) != o.partitions).map(partitionsOf))
      val sizes = routings.map { routing =>
        routing.operator -> StateRouting.move(routing, from, copy, routing.operator.number)
      }
      copy.copyOperators()
      copy.finish()
      sizes
    }
  }
}
