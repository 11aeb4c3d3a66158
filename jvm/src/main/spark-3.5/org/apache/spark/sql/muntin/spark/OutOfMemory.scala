package org.apache.spark.sql.muntin.spark

import org.apache.spark.memory.SparkOutOfMemoryError

/** The error of a task that requests memory, in bytes, and receives less. */
object OutOfMemory {
  def apply(requested: Long, granted: Long): OutOfMemoryError =
    new SparkOutOfMemoryError(
      "UNABLE_TO_ACQUIRE_MEMORY",
      java.util.Map.of("requestedBytes", requested.toString, "receivedBytes", granted.toString)
    )

  /** Returns the error with advice as its cause, because Spark's message has no place for it. */
  def ofWindows(requested: Long, granted: Long): OutOfMemoryError = {
    val error = apply(requested, granted)
    error.initCause(new MuntinRuntimeException("MUNTIN_OUT_OF_MEMORY")): Unit
    error
  }
}
