package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution

/** The session of a streaming query: a copy of the session that started the query. */
object QuerySession {
  def of(execution: StreamExecution): SparkSession = execution.sparkSessionForStream
}
