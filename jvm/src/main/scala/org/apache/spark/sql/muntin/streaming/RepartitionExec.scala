package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.muntin.spark.{CheckpointCopy, MuntinAnalysisException, StoredOperator}
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
    if (!copy.isFree) {
      throw new MuntinAnalysisException("MUNTIN_REPARTITION_TARGET_NOT_EMPTY", "path" -> to)
    }
    if (from.isInUse) throw error("MUNTIN_REPARTITION_OF_RUNNING_QUERY")
    val routings = from.operators.map { operator =>
      if (operator.name != StreamWindowsExec.ShortName) {
        throw error("MUNTIN_REPARTITION_WITH_STATEFUL_OPERATOR", "operator" -> operator.name)
      }
      CheckpointFolder.checkLayout(operator, checkpoint)
      StateRouting.of(operator, partitionsOf(operator))
    }
    if (routings.isEmpty) throw error("MUNTIN_REPARTITION_WITHOUT_STATE")
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

  private def error(condition: String, parameters: (String, String)*): MuntinAnalysisException =
    new MuntinAnalysisException(condition, ("checkpoint" -> checkpoint) +: parameters: _*)

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
