package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.{Inner, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.asof.{AsOfJoinExec, AsOfSide}
import org.apache.spark.sql.muntin.plans.logical.{AsOfRows, WithColumns}
import org.apache.spark.sql.types.{DoubleType, FloatType}

/**
 * Prepares and plans an AsOfRows node of two tables. The optimizer turns its keys and times into
 * columns and filters out rows of the right side that cannot match. Then the node is planned as one
 * operator.
 */
private[plans] object AsOfColumns {

  /** Returns the node with keys and times as columns. */
  def apply(rows: AsOfRows): LogicalPlan = {
    val (left, ofLeft) = columns(rows.left, rows.ofLeft)
    val (right, ofRight) = columns(rows.right, rows.ofRight)
    val (ofRows, onLeft) = rows.joinType match {
      // A row without a match is not emitted.
      case Inner | LeftSemi => (mayMatch(rows.onLeft, ofLeft.time) ++ present(ofLeft.keys), Nil)
      case _ => (Nil, rows.onLeft)
    }
    val placed = rows.copy(
      left = filtered(left, ofRows),
      right = filtered(right, present(ofRight.keys :+ ofRight.time) ++ isNumber(ofRight.time)),
      ofLeft = ofLeft,
      ofRight = ofRight,
      onLeft = onLeft,
      isPlaced = true
    )
    if (placed.output == rows.output) placed else Project(rows.output, placed)
  }

  private def columns(plan: LogicalPlan, side: AsOfSide): (LogicalPlan, AsOfSide) = {
    val placed = WithColumns(
      plan,
      side.keys.map(k => "on" -> NormalizeFloatingNumbers.normalize(k)) :+ ("time" -> side.time)
    )
    (placed.plan, AsOfSide(placed.attributes.init, placed.attributes.last))
  }

  /** Returns the operator with these output columns. */
  def planned(
      rows: AsOfRows,
      columns: Seq[Attribute],
      planLater: LogicalPlan => SparkPlan
  ): SparkPlan = {
    val onLeft = rows.joinType match {
      case Inner | LeftSemi => Nil
      case _ => mayMatch(rows.onLeft, rows.ofLeft.time)
    }
    AsOfJoinExec(
      rows.ofLeft,
      rows.ofRight,
      rows.joinType,
      rows.reach,
      onLeft.reduceOption(And(_, _)),
      columns,
      planLater(rows.left),
      planLater(rows.right)
    )
  }

  /** Returns conditions that a row of the left side must satisfy to match. */
  private def mayMatch(onLeft: Seq[Expression], time: Expression): Seq[Expression] =
    onLeft ++ present(Seq(time)) ++ (time.dataType match {
      case DoubleType | FloatType =>
        val infinite = Cast(Literal(Double.PositiveInfinity), time.dataType)
        Some(LessThan(Abs(time), infinite))
      case _ => None
    })

  private def present(columns: Seq[Expression]): Seq[Expression] =
    columns.filter(_.nullable).map(IsNotNull(_))

  private def isNumber(time: Expression): Option[Expression] = time.dataType match {
    case DoubleType | FloatType => Some(Not(IsNaN(time)))
    case _ => None
  }

  private def filtered(plan: LogicalPlan, conditions: Seq[Expression]): LogicalPlan =
    conditions.reduceOption(And(_, _)).fold(plan)(Filter(_, plan))
}
