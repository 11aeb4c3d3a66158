package org.apache.spark.sql.catalyst.rules

import scala.annotation.unused

/**
 * Replaces Spark's class on the class path of the tests. Spark's class adds up the times of
 * hundreds of rules twice per planning, for a log that the tests do not read: up to a twentieth of
 * the CPU time of the streaming suites.
 */
case class QueryExecutionMetering() {
  def resetMetrics(): Unit = ()
  def getMetrics(): QueryExecutionMetrics = QueryExecutionMetrics(0L, 0L, 0L, 0L)
  def totalTime: Long = 0L
  def totalNumRuns: Long = 0L
  def totalNumEffectiveRuns: Long = 0L
  def totalEffectiveTime: Long = 0L
  def incExecutionTimeBy(@unused ruleName: String, @unused delta: Long): Unit = ()
  def incTimeEffectiveExecutionBy(@unused ruleName: String, @unused delta: Long): Unit = ()
  def incNumEffectiveExecution(@unused ruleName: String): Unit = ()
  def incNumExecution(@unused ruleName: String): Unit = ()
  def dumpTimeSpent(): String = ""
}

object QueryExecutionMetering {
  val INSTANCE: QueryExecutionMetering = QueryExecutionMetering()
}
