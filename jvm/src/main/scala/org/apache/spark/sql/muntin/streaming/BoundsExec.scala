package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.muntin.execution.rows.OperatorMetrics

/**
 * Drops the bounds of a stream, the rows for which `condition` is true. In the order of arrival it
 * reports their times to the clocks of downstream stateful operators, as if the bounds had reached
 * these operators.
 *
 * Guarded by BoundSuite.
 *
 * @param times
 *   the time of a bound for each downstream operator
 * @param delays
 *   the delay to subtract from each of these times
 * @param clocks
 *   the clock of each of these operators
 */
case class BoundsExec(
    condition: Expression,
    times: Seq[Expression],
    delays: Seq[Long],
    clocks: Seq[StreamClock],
    child: SparkPlan
) extends UnaryExecNode {
  override lazy val metrics: Map[String, SQLMetric] = OperatorMetrics.ofRows(sparkContext) +
    ("numBounds" -> SQLMetrics.createMetric(sparkContext, "number of bounds"))

  override def nodeName: String = "MuntinBounds"

  override def simpleString(maxFields: Int): String = s"$nodeName ${condition.sql}"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Another BoundsExec may report to other clocks.
  override protected def doCanonicalize(): SparkPlan = this

  override protected def doExecute(): RDD[InternalRow] = {
    val counted = longMetric("numBounds")
    val outputRows = longMetric(OperatorMetrics.OutputRows)
    val (isBound, timesOf, input) = (condition, times, child.output)
    val reported = clocks.zipWithIndex.flatMap { case (clock, i) =>
      clock.newest.map((i, new TimeNumber(times(i).dataType, i), delays(i), _))
    }
    child.execute().mapPartitionsInternal { rows =>
      val holds = Predicate.create(isBound, input)
      holds.initialize(TaskContext.getPartitionId())
      val project = UnsafeProjection.create(timesOf, input)
      rows.filter { row =>
        val isBoundRow = holds.eval(row)
        if (isBoundRow) {
          counted += 1L
          if (reported.nonEmpty) {
            val times = project(row)
            reported.foreach { case (i, number, delay, seen) =>
              // A bound without a time has no effect.
              if (!times.isNullAt(i)) seen.update(number.of(times) - delay)
            }
          }
        } else outputRows += 1L
        !isBoundRow
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BoundsExec =
    copy(child = newChild)
}
