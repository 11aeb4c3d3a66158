package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.spark.{CheckpointCopy, StoredOperator}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Copies a checkpoint to the folder `to`, with the state of its operators in another number of
 * partitions. Emits a row for each operator. If it fails, it deletes the folder.
 */
case class RepartitionExec(checkpoint: String, partitions: Int, to: String, output: Seq[Attribute])
    extends CheckpointCommandExec {
  override def nodeName: String = "MuntinRepartition"

  override protected def compute(): Seq[InternalRow] = {
    val from = CheckpointFolder.stored(session, checkpoint)
    val copy = new CheckpointCopy(from, to)
    val required = new CheckpointRequirements("repartition", checkpoint)
    required.requireFree(to, copy.isFree)
    required.requireUnused(from)
    required.requireOnlyWindows(from)
    val routings = required.windows(from).map(o => StateRouting.of(o, partitionsOf(o)))
    copy.orDelete {
      val sizes = routings.map(r => StateRouting.move(r, from, copy, r.operator.number))
      copy.copyOperators()
      copy.finish()
      from.operators.zip(sizes).map { case (operator, ofPartitions) => row(operator, ofPartitions) }
    }
  }

  // Marks are of all groups.
  private def partitionsOf(operator: StoredOperator): Int =
    if (operator.properties.contains(MarksJob.Every)) 1 else partitions

  private def row(operator: StoredOperator, sizes: Seq[PartitionSize]): InternalRow = InternalRow(
    operator.number.toInt,
    UTF8String.fromString(operator.properties.getOrElse("window", "")),
    sizes.size,
    sizes.map(_.groups).sum,
    sizes.map(_.rows).sum,
    sizes.map(_.bytes).sum,
    sizes.map(_.bytes).max
  )

  override def simpleString(maxFields: Int): String = s"$nodeName $checkpoint, $partitions, $to"
}
