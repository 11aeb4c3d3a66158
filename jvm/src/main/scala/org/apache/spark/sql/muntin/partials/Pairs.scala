package org.apache.spark.sql.muntin.partials

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types.{DataType, DoubleType}

/** Plans aggregates of two inputs, over the rows in which neither is null. */
object Pair {
  def unapply(function: AggregateFunction): Option[(Expression, Expression)] = function match {
    case f @ (_: Covariance | _: PearsonCorrelation | _: RegrSlope | _: RegrIntercept |
        _: RegrCount | _: RegrAvgX | _: RegrAvgY | _: RegrSXX | _: RegrSYY) =>
      Some((f.children(0), f.children(1)))
    case _ => None
  }
}

/**
 * One state for all aggregates of pairs: the number of pairs, and the sums of x, y, x y, x^2 and
 * y^2.
 */
private object Pairs {
  def layout(function: AggregateFunction, x: DataType, y: DataType): Option[PartialLayout] = {
    val count = CountPartialField("pairs", _.hasPair)
    val sumX = SumPartialField.of("sum_x", x, row => if (row.hasPair) row.x else null)
    val sumY = SumPartialField.of("sum_y", y, row => if (row.hasPair) row.y else null)
    // If inputs are not coerced to doubles, products, and functions that need them, are not
    // available.
    val products =
      if (x != DoubleType || y != DoubleType) Nil
      else Seq(
        SumPartialField.product("sum_xy", _.x, _.y),
        SumPartialField.product("sum_x2", _.x, _.x),
        SumPartialField.product("sum_y2", _.y, _.y)
      )
    val partialFields = Seq(count, sumX, sumY) ++ products
    finalizer(function, x, y).map(PartialLayout(partialFields, _))
  }

  private def finalizer(function: AggregateFunction, first: DataType, second: DataType) =
    function match {
      case _: RegrCount => Some(Finalizers.stored)
      case _: RegrAvgX => Some(mean(second, 2))
      case _: RegrAvgY => Some(mean(first, 1))
      case _: RegrSXX => Some(squares(2, 5))
      case _: RegrSYY => Some(squares(1, 4))
      case _ if first == DoubleType && second == DoubleType => Some(all(function))
      case _ => None
    }

  private def mean(dataType: DataType, sum: Int): PartialLayout.Finalizer =
    Finalizers.some(Finalizers.sums(Average(Literal(null, dataType))), 0, sum)

  private def squares(sum: Int, squares: Int): PartialLayout.Finalizer =
    Finalizers.some(
      Finalizers.sums(RegrReplacement(Literal(null, DoubleType))),
      0,
      sum,
      squares
    )

  // The first input of a partial is y for the regression functions.
  private def all(function: AggregateFunction): PartialLayout.Finalizer = {
    val sums = Finalizers.sums(function)
    function match {
      case _: RegrSXY | _: RegrSlope | _: RegrIntercept | _: RegrR2 =>
        Finalizers.some(sums, 0, 2, 1, 3, 5, 4)
      case _ => sums
    }
  }
}
