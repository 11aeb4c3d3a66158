package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.streaming.{
  GroupJob,
  MarksJob,
  SharedRowsExec,
  StartCountsExec,
  StreamClock,
  StreamWindowsExec
}
import org.apache.spark.sql.types.LongType

/**
 * Plans the operator that counts the rows of all groups of a stream, next to the operator of the
 * groups.
 */
private[plans] object StreamMarks {
  def apply(job: GroupJob, every: Int, clock: StreamClock): SparkPlan = {
    val count = AttributeReference("count", LongType, nullable = false)()
    val rows = StartCountsExec(job.time, count, SharedRowsExec(job.input))
    val marks = MarksJob(job.name, every, job.time, count)
    StreamWindowsExec.unplaced(marks, rows, clock)
  }
}
