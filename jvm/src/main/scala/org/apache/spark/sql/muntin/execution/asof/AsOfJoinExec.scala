package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.rows.{ByKeys, KeyedRows, OperatorMetrics, WindowsExec}
import org.apache.spark.sql.muntin.execution.split.{SplittablePairExec, TaskRows}

/**
 * Joins each row of `left` with the row of `right` that is before or after it, in one pass over
 * both, and gives the `columns` of the two. `from` and `until`: no row that is found is before or
 * after these times of a row of `left`.
 */
case class AsOfJoinExec(
    leftKeys: Seq[Attribute],
    rightKeys: Seq[Attribute],
    leftTime: Attribute,
    rightTime: Attribute,
    joinType: JoinType,
    direction: String,
    takesBefore: Boolean,
    takesAfter: Boolean,
    strict: Boolean,
    from: Option[Expression],
    until: Option[Expression],
    mayMatch: Option[Expression],
    within: Option[Expression],
    columns: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    isSplit: Boolean = false
) extends SplittablePairExec
    with WindowsExec {
  private def plan: AsOfPlan = AsOfPlan(
    AsOfSide(left.output, leftKeys, leftTime),
    AsOfSide(right.output, rightKeys, rightTime),
    joinType,
    takesBefore,
    takesAfter,
    strict,
    mayMatch,
    within,
    columns
  )

  override def nodeName: String = "MuntinAsOfJoin"

  override def output: Seq[Attribute] = columns

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = plan.left.order

  override def requiredChildDistribution: Seq[Distribution] =
    if (isSplit) Seq(UnspecifiedDistribution, UnspecifiedDistribution)
    else Seq(ByKeys(leftKeys), ByKeys(rightKeys))

  override def requiredChildOrdering: Seq[Seq[SortOrder]] = Seq(plan.left.order, plan.right.order)

  override def pairKeys: (Seq[Attribute], Seq[Attribute]) = (leftKeys, rightKeys)

  override def reached: (Option[Expression], Option[Expression]) = (from, until)

  override def rightOrder: Attribute = rightTime

  override def split(readLeft: SparkPlan, readRight: SparkPlan): SparkPlan =
    copy(left = readLeft, right = readRight, isSplit = true)

  override protected def doExecute(): RDD[InternalRow] = {
    val joinMetrics = OperatorMetrics(metrics)
    val ofTask = plan
    val (leftRows, rightRows) = (TaskRows.execute(left, isSplit), TaskRows.execute(right, isSplit))
    leftRows.zipPartitions(rightRows) { (ofLeft, ofRight) =>
      new AsOfIterator(
        new KeyedRows(ofLeft.next().sorted, ofTask.left.keys, ofTask.left.output),
        new KeyedRows(ofRight.next().sorted, ofTask.right.keys, ofTask.right.output),
        ofTask,
        joinMetrics
      )
    }
  }

  private def times: String =
    s"$rightTime $direction of $leftTime" + (if (strict) ", strict" else "")

  override protected def parts: Seq[Any] =
    Seq[Any](
      joinType,
      leftKeys,
      rightKeys,
      times,
      columns
    ) ++ within ++ Option.when(isSplit)("split")

  override protected def details: Seq[(String, Any)] = Seq[(String, Any)](
    "Join type" -> joinType,
    "Left keys" -> leftKeys,
    "Right keys" -> rightKeys,
    "Times" -> times,
    "Columns" -> columns
  ) ++ mayMatch.map(c => "Left condition" -> c) ++ within.map(c => "Tolerance" -> c)

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): AsOfJoinExec = copy(left = newLeft, right = newRight)
}
