package org.apache.spark.sql.muntin.partials

import io.muntin.kernel.sums.Comoments
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.execution.functions.RestoredFrame
import org.apache.spark.sql.types.{DataType, DoubleType}

/** Aggregates of two inputs, over the rows in which neither is null. */
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
  def way(function: AggregateFunction, x: DataType, y: DataType): Option[Way] = {
    val count = CountComponent("pairs", _.hasPair)
    val sumX = SumComponent("sum_x", x, row => if (row.hasPair) row.x else null)
    val sumY = SumComponent("sum_y", y, row => if (row.hasPair) row.y else null)
    // Where inputs are not coerced to doubles, there are neither products nor functions that need
    // them.
    val products =
      if (x != DoubleType || y != DoubleType) Nil
      else Seq(
        SumComponent.product("sum_xy", _.x, _.y),
        SumComponent.product("sum_x2", _.x, _.x),
        SumComponent.product("sum_y2", _.y, _.y)
      )
    val components = Seq(count, sumX, sumY) ++ products
    finish(function, x, y).map(Way(components, _))
  }

  private def finish(function: AggregateFunction, first: DataType, second: DataType) =
    function match {
      case _: RegrCount => Some(Finishes.Count)
      case _: RegrAvgX => Some(mean(second, 2))
      case _: RegrAvgY => Some(mean(first, 1))
      case _: RegrSXX => Some(squares(2, 5))
      case _: RegrSYY => Some(squares(1, 4))
      case _ if first == DoubleType && second == DoubleType => Some(new All(function))
      case _ => None
    }

  private def mean(dataType: DataType, sum: Int): Finish =
    Finishes.Chosen(Finishes.Sums(Average(Literal(null, dataType))), 0, sum)

  private def squares(sum: Int, squares: Int): Finish =
    Finishes.Chosen(Finishes.Sums(RegrReplacement(Literal(null, DoubleType))), 0, sum, squares)

  private final class All(function: AggregateFunction) extends Finish {
    private lazy val frame = new RestoredFrame(Finishes.overNulls(function))

    private val isRegression = function match {
      case _: RegrSXY | _: RegrSlope | _: RegrIntercept | _: RegrR2 => true
      case _ => false
    }

    override def apply(states: Seq[ComponentState]): Any = {
      val n = states.head.asInstanceOf[CountState].count
      val sums = states.tail.map(_.asInstanceOf[SumState].sum)
      // The first input of a partial is y for the regression functions.
      val (x, y) = if (isRegression) (1, 0) else (0, 1)
      frame.accumulators.foreach {
        case pairs: Comoments =>
          pairs.restore(n, sums(x), sums(y), sums(2), sums(3 + x), sums(3 + y))
        case other => throw new IllegalStateException(s"$other is not restored")
      }
      frame.result
    }
  }
}
