package org.apache.spark.sql.execution.streaming.operators.stateful

import org.apache.spark.sql.execution.{streaming => before}

/** Names that Spark moved here with 4.1. */
package object join {
  type StreamingSymmetricHashJoinExec = before.StreamingSymmetricHashJoinExec
}
