package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.execution.rows.CommandExec
import org.apache.spark.sql.muntin.spark.{CheckpointCopy, StoredOperator}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Copies a checkpoint as of a micro-batch to the folder `to`: `batch`, or the last micro-batch
 * whose files are whole. Emits a row for each operator. If it fails, it deletes the folder.
 */
case class RestoreExec(
    checkpoint: String,
    to: String,
    batch: Option[Long],
    output: Seq[Attribute]
) extends CommandExec {
  override def nodeName: String = "MuntinRestore"

  override protected def compute(): Seq[InternalRow] = {
    CheckpointFolder.check(session, checkpoint)
    val whole = batch.fold(WholeBatch.last(session, checkpoint)) { number =>
      WholeBatch.at(session, checkpoint, number)
    }
    val from = whole.from
    // Sinks ignore numbers that they have received, so the copy continues after all of them.
    val copy = new CheckpointCopy(from, to, restoredAs = whole.later)
    val required = new CheckpointRequirements("restore", checkpoint)
    MovedCheckpoint(required, from, copy, to)(_.partitions)
      .map { case (operator, sizes) => row(whole, operator, sizes) }
  }

  private def row(
      whole: WholeBatch,
      operator: StoredOperator,
      sizes: Seq[PartitionSize]
  ): InternalRow = InternalRow(
    whole.from.batch,
    whole.problem.map(UTF8String.fromString).orNull,
    operator.number.toInt,
    UTF8String.fromString(operator.properties("window")),
    sizes.size,
    sizes.map(_.groups).sum,
    sizes.map(_.rows).sum,
    sizes.map(_.bytes).sum
  )

  override def simpleString(maxFields: Int): String = s"$nodeName $checkpoint, $to"
}
