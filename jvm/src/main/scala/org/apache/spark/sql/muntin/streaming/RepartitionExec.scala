package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.sql.muntin.spark.{CheckpointCopy, StoredOperator}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Copies a checkpoint to the folder `to`, with the state of its operators in another number of
 * partitions. Emits a row for each operator. If it fails, it deletes the folder.
 */
case class RepartitionExec(checkpoint: String, partitions: Int, to: String, output: Seq[Attribute])
    extends CommandExec {
  override def nodeName: String = "MuntinRepartition"

  override protected def compute(): Seq[InternalRow] = {
    val from = CheckpointFolder.stored(session, checkpoint)
    val required = new CheckpointRequirements("repartition", checkpoint)
    MovedCheckpoint(required, from, new CheckpointCopy(from, to), to)(partitionsOf)
      .map { case (operator, sizes) => row(operator, sizes) }
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
