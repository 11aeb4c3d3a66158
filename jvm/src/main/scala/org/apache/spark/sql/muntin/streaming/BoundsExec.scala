package org.apache.spark.sql.muntin.streaming

import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}

/**
 * Leaves out the bounds of a stream, the rows for which `condition` is true. In the order of
 * arrival it tells their times to stateful operators above, as if they had got the bounds.
 *
 * Guarded by BoundSuite.
 *
 * @param times
 *   the time of a bound, by the id that an operator above has given it
 * @param delays
 *   by how much each of these times is to be taken back
 * @param told
 *   the operators that are told, each by its id
 */
case class BoundsExec(
    condition: Expression,
    times: Seq[NamedExpression],
    delays: Seq[Long],
    child: SparkPlan,
    private val told: Map[ExprId, NewestTime] = Map.empty
) extends UnaryExecNode {
  private[streaming] def telling(id: ExprId, newest: NewestTime): BoundsExec =
    if (told.get(id).contains(newest) || !times.exists(_.exprId == id)) this
    else {
      val made = copy(told = told + (id -> newest))
      made.copyTagsFrom(this)
      made
    }

  override lazy val metrics: Map[String, SQLMetric] = Map(
    "numBounds" -> SQLMetrics.createMetric(sparkContext, "number of bounds")
  )

  override def nodeName: String = "MuntinBounds"

  override def simpleString(maxFields: Int): String = s"$nodeName ${condition.sql}"

  override def output: Seq[Attribute] = child.output

  override def outputPartitioning: Partitioning = child.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Other operators may be told.
  override protected def doCanonicalize(): SparkPlan = this

  override protected def doExecute(): RDD[InternalRow] = {
    val counted = longMetric("numBounds")
    val (isBound, timesOf, input) = (condition, times, child.output)
    val heard = times.zip(delays).zipWithIndex.flatMap { case ((time, delay), i) =>
      told.get(time.exprId).map(n => (i, new TimeNumber(time.dataType, i), delay, n.seen))
    }
    child.execute().mapPartitionsInternal { rows =>
      val holds = Predicate.create(isBound, input)
      holds.initialize(TaskContext.getPartitionId())
      val project = UnsafeProjection.create(timesOf, input)
      rows.filter { row =>
        val found = holds.eval(row)
        if (found) {
          counted += 1L
          if (heard.nonEmpty) {
            val times = project(row)
            heard.foreach { case (i, number, delay, seen) =>
              // A bound without a time says nothing.
              if (!times.isNullAt(i)) seen.see(number.of(times) - delay)
            }
          }
        }
        !found
      }
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): BoundsExec =
    copy(child = newChild)
}
