package org.apache.spark.sql.muntin.execution.asof

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.JoinType
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.rows.{
  KeyedRows,
  OperatorMetrics,
  PlanText,
  WindowsExec
}
import org.apache.spark.sql.muntin.execution.split.{SortedInput, SplittablePairExec, TaskRows}

/**
 * Joins each row of `left` with the row of `right` that it reaches, in one pass over both, and
 * emits the `columns` of the two. A row of `left` for which `mayMatch` is not true has no match.
 */
case class AsOfJoinExec(
    ofLeft: AsOfSide,
    ofRight: AsOfSide,
    joinType: JoinType,
    reach: AsOfReach,
    mayMatch: Option[Expression],
    columns: Seq[Attribute],
    left: SparkPlan,
    right: SparkPlan,
    isSplit: Boolean = false
) extends SplittablePairExec
    with WindowsExec {
  private def bounds = new AsOfBounds(ofLeft, ofRight, reach)

  override def nodeName: String = "MuntinAsOfJoin"

  override def output: Seq[Attribute] = columns

  override def outputPartitioning: Partitioning = left.outputPartitioning

  override def outputOrdering: Seq[SortOrder] = inputs.head.order

  override def inputs: Seq[SortedInput] = Seq(ofLeft, ofRight).map { side =>
    SortedInput.ascending(side.keys, side.time)
  }

  override def reached: (Option[Expression], Option[Expression]) = (bounds.from, bounds.until)

  override def split(readLeft: SparkPlan, readRight: SparkPlan): SparkPlan =
    copy(left = readLeft, right = readRight, isSplit = true)

  override protected def doExecute(): RDD[InternalRow] = {
    val joinMetrics = OperatorMetrics(metrics)
    val plan = AsOfPlan(ofLeft, ofRight, joinType, reach, mayMatch, bounds.within, columns)
    val (leftOutput, rightOutput) = (left.output, right.output)
    TaskRows.zip(left, right, isSplit) { (leftRows, rightRows) =>
      new AsOfIterator(
        new KeyedRows(leftRows.sorted, plan.ofLeft.keys, leftOutput),
        new KeyedRows(rightRows.sorted, plan.ofRight.keys, rightOutput),
        plan,
        joinMetrics
      )
    }
  }

  private def times: String =
    s"${PlanText(ofRight.time)} ${reach.direction} of ${PlanText(ofLeft.time)}" +
      (if (reach.strict) ", strict" else "")

  override protected def parts: Seq[Any] =
    Seq[Any](joinType, ofLeft.keys, ofRight.keys, times, columns) ++ bounds.within ++
      Option.when(isSplit)("split")

  override protected def details: Seq[(String, Any)] = Seq[(String, Any)](
    "Join type" -> joinType,
    "Left keys" -> ofLeft.keys,
    "Right keys" -> ofRight.keys,
    "Times" -> times,
    "Columns" -> columns
  ) ++ mayMatch.map(c => "Left condition" -> c) ++ bounds.within.map(c => "Tolerance" -> c)

  override protected def withNewChildrenInternal(
      newLeft: SparkPlan,
      newRight: SparkPlan
  ): AsOfJoinExec = copy(left = newLeft, right = newRight)
}
