package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.rows.{KeyedRows, OperatorMetrics, WindowsExec}
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SplittablePairExec, TaskRows}

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

  override def outputOrdering: Seq[SortOrder] = inputs.head.order

  override def inputs: Seq[SortedInput] = Seq(
    SortedInput.ascending(leftKeys, leftTime),
    SortedInput.ascending(rightKeys, rightTime)
  )

  override def reached: (Option[Expression], Option[Expression]) = (from, until)

  override def split(readLeft: SparkPlan, readRight: SparkPlan): SparkPlan =
    copy(left = readLeft, right = readRight, isSplit = true)

  override protected def doExecute(): RDD[InternalRow] = {
    val joinMetrics = OperatorMetrics(metrics)
    val ofTask = plan
    TaskRows.zip(left, right, isSplit) { (ofLeft, ofRight) =>
      new AsOfIterator(
        new KeyedRows(ofLeft.sorted, ofTask.left.keys, ofTask.left.output),
        new KeyedRows(ofRight.sorted, ofTask.right.keys, ofTask.right.output),
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
