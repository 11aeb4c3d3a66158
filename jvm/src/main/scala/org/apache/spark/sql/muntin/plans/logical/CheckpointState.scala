package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{IntegerType, LongType, MapType, StringType}

/** The groups in the state of a checkpoint, after this micro-batch or the last. */
final case class CheckpointState(
    checkpoint: String,
    batch: Option[Long],
    output: Seq[Attribute] = CheckpointState.columns
) extends CheckpointNode {
  override def newInstance(): CheckpointState = copy(output = output.map(_.newInstance()))

  override def simpleString(maxFields: Int): String =
    s"CheckpointState $checkpoint ${output.mkString("[", ", ", "]")}"
}

object CheckpointState {
  private def columns: Seq[Attribute] = Seq(
    AttributeReference("operator", IntegerType, nullable = false)(),
    AttributeReference("window", StringType, nullable = false)(),
    AttributeReference("partition", IntegerType, nullable = false)(),
    AttributeReference("key", MapType(StringType, StringType), nullable = false)(),
    AttributeReference("rows", LongType, nullable = false)(),
    AttributeReference("bytes", LongType, nullable = false)(),
    AttributeReference("oldest_time", StringType)(),
    AttributeReference("newest_time", StringType)(),
    AttributeReference("next_timer", StringType)()
  )
}
