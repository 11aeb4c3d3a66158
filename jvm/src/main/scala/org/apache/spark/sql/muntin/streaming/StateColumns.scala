package org.apache.spark.sql.muntin.streaming

import java.util.{Collections, LinkedHashMap, Map => JavaMap, UUID}

/**
 * The columns in the state of each operator, for the queries that run in this driver. Spark plans
 * each micro-batch, but compares the operators with the checkpoint only in the first micro-batch of
 * a run. A later micro-batch with other columns would misread the state, so it fails.
 */
private[streaming] object StateColumns {
  private val MostOperators = 1000

  private val columns: JavaMap[(UUID, Long), String] = Collections.synchronizedMap(
    new LinkedHashMap[(UUID, Long), String](16, 0.75f, true) {
      override def removeEldestEntry(oldest: JavaMap.Entry[(UUID, Long), String]): Boolean =
        size > MostOperators
    }
  )

  /** Fails if an earlier micro-batch of the run has other columns. */
  def check(run: UUID, operator: Long, title: String, now: String): Unit = {
    val before = columns.putIfAbsent((run, operator), now)
    if (before != null && before != now) {
      throw new IllegalStateException(
        s"the state of $title has the columns [$before], but this micro-batch reads [$now]"
      )
    }
  }
}
