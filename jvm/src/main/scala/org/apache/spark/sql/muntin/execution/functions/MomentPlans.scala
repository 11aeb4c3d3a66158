package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{DoubleOutput, Output}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.sums.{Comoments, Moments, PairSums, PowerSums}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

/** Plans variances and deviations, skewness and kurtosis, covariances, correlation, regression. */
object MomentPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(f @ (_: CentralMomentAgg), _) if moment.isDefinedAt(f) =>
      moment(f)(call)
    case call @ Call(
          f @ (_: Covariance | _: PearsonCorrelation | _: RegrSlope | _: RegrIntercept),
          _
        )
        if comoment.isDefinedAt(f) =>
      comoment(f)(call)
  }

  private val moment: PartialFunction[Expression, Call => AggregatePlan] = {
    case VariancePop(input, _) => one(input, 2, alone = Value)(_.variance(0))
    case VarianceSamp(input, nulls) => one(input, 2, Degenerate(nulls))(_.variance(1))
    case StddevPop(input, _) => one(input, 2, alone = Value)(_.standardDeviation(0))
    case StddevSamp(input, nulls) => one(input, 2, Degenerate(nulls))(_.standardDeviation(1))
    case RegrReplacement(input) => one(input, 2, alone = Value)(_.m2)
    case Skewness(input, nulls) => one(input, 3, Value, Degenerate(nulls))(_.skewness)
    case Kurtosis(input, nulls) => one(input, 4, Value, Degenerate(nulls))(_.excessKurtosis)
  }

  private val comoment: PartialFunction[Expression, Call => AggregatePlan] = {
    case CovPopulation(x, y, _) => two(x, y, ComomentPlan.Covariance(0, Value))
    case CovSample(x, y, nulls) => two(x, y, ComomentPlan.Covariance(1, Degenerate(nulls)))
    case RegrSXY(y, x) => two(x, y, ComomentPlan.Ck)
    case corr: Corr => two(corr.x, corr.y, ComomentPlan.Correlation(corr))
    case RegrR2(y, x) => two(x, y, ComomentPlan.R2)
    case RegrSlope(y, x) => two(x, y, ComomentPlan.Slope)
    case RegrIntercept(y, x) => two(x, y, ComomentPlan.Intercept)
  }

  private def one(
      input: Expression,
      order: Int,
      alone: WhenDegenerate,
      constant: WhenDegenerate = Value
  )(
      result: Moment
  ): Call => AggregatePlan = call => MomentPlan(call.masked(input), order, alone, constant, result)

  private def two(x: Expression, y: Expression, kind: ComomentPlan.Kind): Call => AggregatePlan =
    call => ComomentPlan(call.masked(x), y, kind)
}

/** The result if a formula would divide by zero: for one value, or for equal values. */
private sealed trait WhenDegenerate
private case object Value extends WhenDegenerate
private case object Null extends WhenDegenerate
private case object NotANumber extends WhenDegenerate

private object Degenerate {

  /** With spark.sql.legacy.statisticalAggregate it is NaN. */
  def apply(isNull: Boolean): WhenDegenerate = if (isNull) Null else NotANumber
}

/** A moment of power sums; a function would allocate an object for each double. */
private trait Moment extends Serializable {
  def of(sums: PowerSums): Double
}

private final case class MomentPlan(
    input: Expression,
    order: Int,
    alone: WhenDegenerate,
    constant: WhenDegenerate,
    result: Moment
) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(Moments.abilities)

  override def takesByValue: Boolean = true

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val moments = Sums.moments(frame, input, order)
    new Output {
      override def write(target: InternalRow): Unit = {
        val degenerate =
          if (moments.count == 0L) Null
          else if (moments.count == 1L && alone != Value) alone
          else if (constant != Value && moments.sums.isConstant) constant
          else Value
        degenerate match {
          case Value => target.setDouble(ordinal, result.of(moments.sums))
          case Null => target.setNullAt(ordinal)
          case NotANumber => target.setDouble(ordinal, Double.NaN)
        }
      }
    }
  }
}

private final case class ComomentPlan(x: Expression, y: Expression, kind: ComomentPlan.Kind)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(Comoments.abilities)

  override def takesByValue: Boolean = true

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val pairs = frame.accumulator(("pairs", x.canonicalized, y.canonicalized, kind.squares)) {
      def column(e: Expression) = frame.column(e).asInstanceOf[DoubleColumn]
      val (xx, yy) = kind.squares
      new Comoments(column(x), column(y), squaresOfX = xx, squaresOfY = yy)
    }
    val writer = kind.writer(pairs.sums, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (pairs.count == 0L) target.setNullAt(ordinal) else writer.write(target)
    }
  }
}

private object ComomentPlan {
  sealed trait Kind {

    /** Returns whether the squares of x, and of y, are needed. */
    def squares: (Boolean, Boolean)

    /** Returns the output that writes the result of one pair or more. */
    def writer(pairs: PairSums, ordinal: Int): Output
  }

  private def output(ordinal: Int)(isAbsent: => Boolean)(read: => Double): Output =
    new DoubleOutput(ordinal) {
      override protected def isNull: Boolean = isAbsent
      override protected def value: Double = read
    }

  final case class Covariance(ddof: Int, alone: WhenDegenerate) extends Kind {
    override def squares: (Boolean, Boolean) = (false, false)
    override def writer(pairs: PairSums, ordinal: Int): Output =
      output(ordinal)(pairs.count == 1L && alone == Null) {
        if (pairs.count == 1L && alone == NotANumber) Double.NaN else pairs.covariance(ddof)
      }
  }

  case object Ck extends Kind {
    override def squares: (Boolean, Boolean) = (false, false)
    override def writer(pairs: PairSums, ordinal: Int): Output =
      output(ordinal)(false)(pairs.ck)
  }

  final case class Correlation(corr: Corr) extends Kind {
    override def squares: (Boolean, Boolean) = (true, true)
    override def writer(pairs: PairSums, ordinal: Int): Output = new Output {
      // For one pair, or for equal values: null, NaN or a division by zero, by Spark's settings.
      private lazy val finish = new SparkFinish(corr)
      override def write(target: InternalRow): Unit =
        if (pairs.count > 1L && !pairs.isConstantX && !pairs.isConstantY)
          target.setDouble(ordinal, pairs.correlation)
        else writeDegenerate(target)

      // A separate method, since its arguments are objects: within `write` they would cost a tenth
      // of each correlation.
      private def writeDegenerate(target: InternalRow): Unit =
        finish(
          pairs.count.toDouble,
          pairs.xMean,
          pairs.yMean,
          pairs.ck,
          pairs.sxx,
          pairs.syy
        ) match {
          case d: Double => target.setDouble(ordinal, d)
          case _ => target.setNullAt(ordinal)
        }
    }
  }

  case object R2 extends Kind {
    override def squares: (Boolean, Boolean) = (true, true)
    override def writer(pairs: PairSums, ordinal: Int): Output =
      output(ordinal)(pairs.isConstantX)(if (pairs.isConstantY) 1.0 else pairs.r2)
  }

  case object Slope extends Kind {
    override def squares: (Boolean, Boolean) = (true, false)
    override def writer(pairs: PairSums, ordinal: Int): Output =
      output(ordinal)(pairs.isConstantX)(pairs.slope)
  }

  case object Intercept extends Kind {
    override def squares: (Boolean, Boolean) = (true, false)
    override def writer(pairs: PairSums, ordinal: Int): Output =
      output(ordinal)(pairs.isConstantX)(pairs.intercept)
  }
}
