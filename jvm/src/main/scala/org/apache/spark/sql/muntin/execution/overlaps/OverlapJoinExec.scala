package org.apache.spark.sql.muntin.execution.overlaps

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.{FullOuter, JoinType, RightOuter}
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.{BinaryExecNode, SparkPlan}
import org.apache.spark.sql.muntin.execution.rows.{OperatorMetrics, PlanText, WindowsExec}
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SortedInputExec}

/** Joins the rows of two tables whose intervals overlap, in one pass over both tables. */
case class OverlapJoinExec(
    leftKeys: Seq[Expression],
    rightKeys: Seq[Expression],
    leftStart: Expression,
    leftEnd: Expression,
    rightStart: Expression,
    rightEnd: Expression,
    joinType: JoinType,
    condition: Option[Expression],
    left: SparkPlan,
    right: SparkPlan
) extends BinaryExecNode
    with SortedInputExec
    with WindowsExec {
  private def plan: OverlapPlan = OverlapPlan(
    OverlapSide(left.output, leftKeys, leftStart, leftEnd),
    OverlapSide(right.output, rightKeys, rightStart, rightEnd),
    joinType,
    condition
  )

  override def nodeName: String = "MuntinOverlapJoin"

  override def output: Seq[Attribute] = plan.output

  override def outputPartitioning: Partitioning = joinType match {
    case RightOuter => right.outputPartitioning
    case FullOuter => UnknownPartitioning(left.outputPartitioning.numPartitions)
    case _ => left.outputPartitioning
  }

  override def inputs: Seq[SortedInput] = Seq(
    SortedInput.ascending(leftKeys, leftStart),
    SortedInput.ascending(rightKeys, rightStart)
  )

  override protected def doExecute(): RDD[InternalRow] = {
    val joinMetrics = OperatorMetrics(metrics)
    val ofTask = plan
    left.execute().zipPartitions(right.execute()) { (leftRows, rightRows) =>
      new OverlapIterator(leftRows, rightRows, ofTask, joinMetrics)
    }
  }

  private def intervals: String =
    s"[${PlanText(leftStart)}, ${PlanText(leftEnd)}) overlaps " +
      s"[${PlanText(rightStart)}, ${PlanText(rightEnd)})"

  override protected def parts: Seq[Any] =
    Seq[Any](joinType, leftKeys, rightKeys, intervals) ++ condition

  override protected def details: Seq[(String, Any)] = Seq[(String, Any)](
    "Join type" -> joinType,
    "Left keys" -> leftKeys,
    "Right keys" -> rightKeys,
    "Intervals" -> intervals
  ) ++ condition.map(c => "Condition" -> c)

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): OverlapJoinExec = copy(left = newLeft, right = newRight)
}
