package org.apache.spark.sql.execution.streaming.operators.stateful

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark 4.1 moved to this package. */
package object join {
  type StreamingSymmetricHashJoinExec = before.StreamingSymmetricHashJoinExec
}
