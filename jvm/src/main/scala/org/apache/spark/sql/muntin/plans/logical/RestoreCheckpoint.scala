package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

/**
 * Copies a checkpoint as of a micro-batch, when its rows are read: one for each operator. Without
 * `batch`, the micro-batch is the last one whose files are whole.
 */
final case class RestoreCheckpoint(
    checkpoint: String,
    to: String,
    batch: Option[Long],
    output: Seq[Attribute] = RestoreCheckpoint.columns
) extends CheckpointNode {
  override def newInstance(): RestoreCheckpoint = copy(output = output.map(_.newInstance()))

  override def simpleString(maxFields: Int): String = s"RestoreCheckpoint $checkpoint, $to"
}

object RestoreCheckpoint {
  private def columns: Seq[Attribute] = Seq(
    AttributeReference("batch_id", LongType, nullable = false)(),
    AttributeReference("problem", StringType)(),
    AttributeReference("operator", IntegerType, nullable = false)(),
    AttributeReference("window", StringType, nullable = false)(),
    AttributeReference("partitions", IntegerType, nullable = false)(),
    AttributeReference("groups", LongType, nullable = false)(),
    AttributeReference("rows", LongType, nullable = false)(),
    AttributeReference("bytes", LongType, nullable = false)()
  )
}
