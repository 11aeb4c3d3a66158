package org.apache.spark.sql.muntin.spark

import org.apache.spark.memory.SparkOutOfMemoryError

/** The error of a task that asks for memory, in bytes, and gets less. */
object OutOfMemory {
  def apply(requested: Long, granted: Long): OutOfMemoryError =
    new SparkOutOfMemoryError(
      "UNABLE_TO_ACQUIRE_MEMORY",
      java.util.Map.of("requestedBytes", requested.toString, "receivedBytes", granted.toString)
    )

  /** The same, and what can be done; Spark's own error has no room for that but as its cause. */
  def apply(requested: Long, granted: Long, advice: String): OutOfMemoryError = {
    val error = apply(requested, granted)
    error.initCause(new IllegalStateException(advice)): Unit
    error
  }
}
