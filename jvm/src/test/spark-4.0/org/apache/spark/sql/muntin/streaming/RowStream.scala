package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.encoders.ExpressionEncoder
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.streaming.MemoryStream

/** A stream with rows that a test adds. */
object RowStream {

  /** The name of the class that writes checkpoints in one step. */
  val checkpointFiles: String =
    "org.apache.spark.sql.execution.streaming.FileSystemBasedCheckpointFileManager"

  def apply(encoder: ExpressionEncoder[Row], session: SparkSession): MemoryStream[Row] =
    MemoryStream[Row](encoder, session.sqlContext)
}
