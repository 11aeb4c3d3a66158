package org.apache.spark.sql.muntin.plans.refresh

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.spark.{AggregateCall, FrameBetween}
import org.apache.spark.sql.types._

/**
 * A running total whose next results follow exactly from its former result and the next rows.
 *
 *     count(*) OVER (PARTITION BY k ORDER BY t)     rows of k before 100: 7 is the greatest result
 *     rows from 100 on: 1, 2, 3, …                  results from 100 on: 8, 9, 10, …
 *
 * The sum of doubles does not continue: the stored result is rounded.
 */
private[refresh] sealed trait RunningFunction {

  /** Returns the aggregate of former results of a key that is the last of them in its order. */
  def last(result: Expression, order: Seq[Expression]): AggregateFunction

  /**
   * Returns the result, from the last former result and the result over the next rows; or null if
   * the former result is null.
   */
  def next(last: Expression, ofNextRows: Expression): Expression
}

private[refresh] object RunningFunction {

  /** A count: its results grow. */
  private case object Count extends RunningFunction {
    override def last(result: Expression, order: Seq[Expression]): AggregateFunction = Max(result)

    override def next(last: Expression, ofNextRows: Expression): Expression =
      Add(last, ofNextRows)
  }

  /** A sum of whole numbers. */
  private case object WholeSum extends RunningFunction {
    override def last(result: Expression, order: Seq[Expression]): AggregateFunction = {
      val named = order.zipWithIndex.flatMap { case (by, i) => Seq(Literal(s"c$i"), by) }
      MaxBy(result, CreateNamedStruct(named))
    }

    override def next(last: Expression, ofNextRows: Expression): Expression =
      Coalesce(Seq(Add(last, ofNextRows), last))
  }

  private case object Least extends RunningFunction {
    override def last(result: Expression, order: Seq[Expression]): AggregateFunction = Min(result)

    override def next(last: Expression, ofNextRows: Expression): Expression =
      org.apache.spark.sql.catalyst.expressions.Least(Seq(last, ofNextRows))
  }

  private case object Greatest extends RunningFunction {
    override def last(result: Expression, order: Seq[Expression]): AggregateFunction = Max(result)

    override def next(last: Expression, ofNextRows: Expression): Expression =
      org.apache.spark.sql.catalyst.expressions.Greatest(Seq(last, ofNextRows))
  }

  /** Returns the running function of a window; None if it does not continue. */
  def of(window: WindowExpression): Option[RunningFunction] =
    window.windowSpec.frameSpecification match {
      case FrameBetween(kind, UnboundedPreceding, CurrentRow) =>
        window.windowFunction match {
          case _: RowNumber | _: DenseRank => Some(Count)
          case AggregateCall(_: aggregate.Count, false, _) => Some(Count)
          // Rows of equal times have one result only in frames of RANGE.
          case AggregateCall(sum: Sum, false, _)
              if kind == RangeFrame && isWholeSum(sum) &&
                window.windowSpec.orderSpec.forall(isAscending) =>
            Some(WholeSum)
          case AggregateCall(min: Min, false, _) if isWhole(min.dataType) => Some(Least)
          case AggregateCall(max: Max, false, _) if isWhole(max.dataType) => Some(Greatest)
          case _ => None
        }
      case _ => None
    }

  private def isAscending(order: SortOrder): Boolean = order match {
    case SortOrder(_: Attribute, Ascending, NullsFirst, _) => true
    case _ => false
  }

  // A decimal with fewer digits than 38 does not overflow.
  private def isWholeSum(sum: Sum): Boolean = sum.prettyName == "sum" && (sum.dataType match {
    case LongType => true
    case d: DecimalType => d.precision < DecimalType.MAX_PRECISION
    case _ => false
  })

  // Equal values of these types are the same value.
  private def isWhole(dataType: DataType): Boolean = dataType match {
    case _: IntegralType | DateType | TimestampType | TimestampNTZType | _: DecimalType => true
    case _ => false
  }
}
