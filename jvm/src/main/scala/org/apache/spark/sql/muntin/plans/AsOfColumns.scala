package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.{Inner, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.asof.{AsOfJoinExec, AsOfSide}
import org.apache.spark.sql.types.{DoubleType, FloatType}

/**
 * The rows of an AsOfRows node of two tables: in the optimizer its keys and times become columns,
 * and the rows of the right side that no row finds go; then it is planned as one operator.
 */
private[plans] object AsOfColumns {

  /** The same rows, of a node that is placed. */
  def apply(rows: AsOfRows): LogicalPlan = {
    val (left, ofLeft) = columns(rows.left, rows.ofLeft)
    val (right, ofRight) = columns(rows.right, rows.ofRight)
    val (ofRows, onLeft) = rows.joinType match {
      // A row that finds none does not come out.
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

  /** The operator, of which these columns come out. */
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

  /** Conditions without which a row of the left side finds none. */
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
