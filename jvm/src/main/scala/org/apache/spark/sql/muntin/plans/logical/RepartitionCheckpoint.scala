package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{IntegerType, LongType, StringType}

/**
 * Copies a checkpoint, with its state in another number of partitions, when its rows are read: one
 * for each operator.
 */
final case class RepartitionCheckpoint(
    checkpoint: String,
    partitions: Int,
    to: String,
    output: Seq[Attribute] = RepartitionCheckpoint.columns
) extends CheckpointNode {
  override def newInstance(): RepartitionCheckpoint = copy(output = output.map(_.newInstance()))

  override def simpleString(maxFields: Int): String =
    s"RepartitionCheckpoint $checkpoint, $partitions, $to"
}

object RepartitionCheckpoint {
  private def columns: Seq[Attribute] = Seq(
    AttributeReference("operator", IntegerType, nullable = false)(),
    AttributeReference("window", StringType, nullable = false)(),
    AttributeReference("partitions", IntegerType, nullable = false)(),
    AttributeReference("groups", LongType, nullable = false)(),
    AttributeReference("rows", LongType, nullable = false)(),
    AttributeReference("bytes", LongType, nullable = false)(),
    AttributeReference("largest", LongType, nullable = false)()
  )
}
