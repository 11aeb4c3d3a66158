package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.{Inner, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.asof.AsOfJoinExec
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.types._

/**
 * The rows of an AsOfRows node of two tables: in the optimizer its keys and times become columns,
 * and the rows of the right side that no row finds go; then it is planned as one operator.
 */
private[plans] object AsOfColumns {

  /** The same rows, of a node that is placed. */
  def apply(rows: AsOfRows): LogicalPlan = {
    val left = WithColumns(
      rows.left,
      rows.leftKeys.map(k => "on" -> NormalizeFloatingNumbers.normalize(k)) :+
        ("time" -> rows.leftTime)
    )
    val right = WithColumns(
      rows.right,
      rows.rightKeys.map(k => "on" -> NormalizeFloatingNumbers.normalize(k)) :+
        ("time" -> rows.rightTime)
    )
    val (leftKeys, leftTime) = (left.attributes.init, left.attributes.last)
    val (rightKeys, rightTime) = (right.attributes.init, right.attributes.last)
    val (ofRows, onLeft) = rows.joinType match {
      // A row that finds none does not come out.
      case Inner | LeftSemi => (mayMatch(rows.onLeft, leftTime) ++ present(leftKeys), Nil)
      case _ => (Nil, rows.onLeft)
    }
    val placed = rows.copy(
      left = filtered(left.plan, ofRows),
      right = filtered(right.plan, present(rightKeys :+ rightTime) ++ isNumber(rightTime)),
      leftTime = leftTime,
      rightTime = rightTime,
      leftKeys = leftKeys,
      rightKeys = rightKeys,
      onLeft = onLeft,
      isPlaced = true
    )
    if (placed.output == rows.output) placed else Project(rows.output, placed)
  }

  /** The operator, of which these columns come out. */
  def planned(
      rows: AsOfRows,
      columns: Seq[Attribute],
      planLater: LogicalPlan => SparkPlan
  ): SparkPlan = {
    def column(expression: Expression) = expression.asInstanceOf[Attribute]
    val (leftTime, rightTime) = (column(rows.leftTime), column(rows.rightTime))
    val (leftKeys, rightKeys) = (rows.leftKeys.map(column), rows.rightKeys.map(column))
    val (takesBefore, takesAfter) =
      (rows.direction != AsOf.Forward, rows.direction != AsOf.Backward)
    val bounds = new AsOfBounds(leftTime, rightTime, rows.open)
    val (start, end) = (rows.start.filter(_ => takesBefore), rows.end.filter(_ => takesAfter))
    // What a row reaches is told by the columns that its side is sorted by.
    def reached(bound: Option[Expression], isTaken: Boolean): Option[Expression] =
      if (!isTaken) Some(leftTime)
      else bound.filter(_.references.subsetOf(AttributeSet(leftKeys :+ leftTime)))
    val within = start.map(bounds.isFrom) ++ end.map(bounds.isUntil)
    val onLeft = rows.joinType match {
      case Inner | LeftSemi => Nil
      case _ => mayMatch(rows.onLeft, leftTime)
    }
    AsOfJoinExec(
      leftKeys,
      rightKeys,
      leftTime,
      rightTime,
      rows.joinType,
      rows.direction,
      takesBefore = takesBefore,
      takesAfter = takesAfter,
      strict = rows.strict,
      reached(start.map(bounds.first), takesBefore),
      reached(end.flatMap(bounds.last), takesAfter),
      onLeft.reduceOption(And(_, _)),
      within.reduceOption[Expression](And(_, _)),
      columns,
      planLater(rows.left),
      planLater(rows.right)
    )
  }

  /** Conditions without which a row of the left side finds none. */
  private def mayMatch(onLeft: Seq[Expression], time: Attribute): Seq[Expression] =
    onLeft ++ present(Seq(time)) ++ (time.dataType match {
      case DoubleType | FloatType =>
        val infinite = Cast(Literal(Double.PositiveInfinity), time.dataType)
        Some(LessThan(Abs(time), infinite))
      case _ => None
    })

  private def present(columns: Seq[Attribute]): Seq[Expression] =
    columns.filter(_.nullable).map(IsNotNull(_))

  private def isNumber(time: Attribute): Option[Expression] = time.dataType match {
    case DoubleType | FloatType => Some(Not(IsNaN(time)))
    case _ => None
  }

  private def filtered(plan: LogicalPlan, conditions: Seq[Expression]): LogicalPlan =
    conditions.reduceOption(And(_, _)).fold(plan)(Filter(_, plan))
}

/**
 * How far a row of the left side reaches, by a tolerance. Without ANSI a bound that does not fit
 * its type wraps around, or is null: such a row reaches all rows on that side.
 */
private final class AsOfBounds(leftTime: Attribute, rightTime: Attribute, open: Boolean) {
  private val mayNotFit = leftTime.dataType match {
    case _: IntegralType | _: DecimalType => true
    case _ => false
  }

  /** Whether a row of the right side is not before the bound. */
  def isFrom(bound: Expression): Expression = {
    val isInside =
      if (open) GreaterThan(rightTime, bound) else GreaterThanOrEqual(rightTime, bound)
    if (mayNotFit) Or(isBeyond(bound, GreaterThan(bound, leftTime)), isInside) else isInside
  }

  /** Whether it is not behind the bound. */
  def isUntil(bound: Expression): Expression = {
    val isInside = if (open) LessThan(rightTime, bound) else LessThanOrEqual(rightTime, bound)
    if (mayNotFit) Or(isBeyond(bound, LessThan(bound, leftTime)), isInside) else isInside
  }

  /** The first time that is reached: null, which comes before all, where all are reached. */
  def first(bound: Expression): Expression =
    if (!mayNotFit) bound
    else {
      If(
        isBeyond(bound, GreaterThan(bound, leftTime)),
        Literal(null, bound.dataType),
        bound
      )
    }

  /** The last time that is reached; None where all times may be. */
  def last(bound: Expression): Option[Expression] = {
    val greatest: Option[Any] = leftTime.dataType match {
      case ByteType => Some(Byte.MaxValue)
      case ShortType => Some(Short.MaxValue)
      case IntegerType => Some(Int.MaxValue)
      case LongType => Some(Long.MaxValue)
      case _ => None
    }
    if (!mayNotFit) Some(bound)
    else {
      greatest.map { value =>
        If(LessThan(bound, leftTime), Literal(value, bound.dataType), bound)
      }
    }
  }

  private def isBeyond(bound: Expression, wraps: Expression): Expression =
    Or(IsNull(bound), wraps)
}
