package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.Output
import io.muntin.kernel.Abilities
import io.muntin.kernel.ranks.Ranks
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow, Literal}
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.types._
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

/**
 * Plans median, percentile, percentile_cont, percentile_disc, percentile_approx: values by rank.
 */
object RankStatisticPlans {
  val plans: PartialFunction[Call, AggregatePlan] = Function.unlift { call =>
    plan(call.function).map(p => p.copy(input = call.masked(p.input)))
  }

  /** Returns true if `evaluator` can finish the function. */
  def isRanked(function: AggregateFunction): Boolean = plan(unweighted(function)).isDefined

  /** Returns the function over values that are ranked already. */
  def evaluator(function: AggregateFunction): RankedValues => Any = {
    val statistic = plan(unweighted(function)).getOrElse(
      throw new IllegalArgumentException(s"$function is not computed from ranks")
    )
    statistic.evaluate
  }

  // The number of rows with a value already includes its weight.
  private def unweighted(function: AggregateFunction): AggregateFunction = function match {
    case percentile: Percentile => percentile.copy(frequencyExpression = Literal(1L))
    case other => other
  }

  private def plan(function: Expression): Option[RankStatistic] = function match {
    case median: Median => plan(median.replacement)
    case continuous: PercentileCont => plan(continuous.replacement)
    // With another frequency a row represents several values, or none.
    case Percentile(input, percentages, Integral(1L), _, _, reverse) =>
      plan(input, percentages, PercentileRule.Continuous, reverse, function.dataType)
    case PercentileDisc(input, percentages, reverse, _, _, legacy) =>
      val rule = if (legacy) PercentileRule.LegacyDiscrete else PercentileRule.Discrete
      plan(input, percentages, rule, reverse, function.dataType)
    case ApproximatePercentile(input, percentages, Integral(accuracy), _, _) =>
      val rule = PercentileRule.Nearest(1.0 / accuracy)
      plan(input, percentages, rule, reverse = false, function.dataType)
        // Spark fails on it only when it computes a result, so not before there is a value.
        .filterNot(_.percentages.exists(_.isNaN))
    case _ => None
  }

  private def plan(
      input: Expression,
      percentages: Expression,
      rule: PercentileRule,
      reverse: Boolean,
      result: DataType
  ): Option[RankStatistic] =
    doubles(percentages).filter(_ => RankedValues.supports(input.dataType)).map { fractions =>
      result match {
        case ArrayType(each, _) =>
          RankStatistic(input, rule, reverse, fractions, each, inArray = true)
        case one => RankStatistic(input, rule, reverse, fractions, one, inArray = false)
      }
    }

  private def doubles(percentages: Expression): Option[Seq[Double]] =
    if (!percentages.foldable) None
    else
      percentages.eval() match {
        case one: Double => Some(Seq(one))
        case several: ArrayData => Some(several.toDoubleArray().toSeq)
        case _ => None
      }

  /** A foldable integer of any width. */
  private object Integral {
    def unapply(expression: Expression): Option[Long] =
      if (expression.foldable) Option(expression.eval()).collect { case n: Number => n.longValue }
      else None
  }
}

/** Percentages of the values of `input`, each a `result`, by one rule. */
private final case class RankStatistic(
    input: Expression,
    rule: PercentileRule,
    reverse: Boolean,
    percentages: Seq[Double],
    result: DataType,
    inArray: Boolean
) extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(Ranks.abilities)

  // Wide decimals are ranked by row.
  override def takesByValue: Boolean = input.dataType match {
    case d: DecimalType => d.precision <= Decimal.MAX_LONG_DIGITS
    case _ => true
  }

  override def build(frame: FrameBuilder, ordinal: Int): Output =
    output(RankedValues.of(frame, input), ordinal)

  def evaluate(values: RankedValues): Any = {
    val row = new GenericInternalRow(1)
    output(values, 0).write(row)
    row.get(0, result)
  }

  private def output(ascending: RankedValues, ordinal: Int): Output = {
    val values = if (reverse) ascending.reversed else ascending
    val put = if (inArray) array(values, ordinal) else one(values, ordinal)
    new Output {
      override def write(target: InternalRow): Unit =
        if (percentages.isEmpty || values.count == 0L) target.setNullAt(ordinal) else put(target)
    }
  }

  private def array(values: RankedValues, ordinal: Int): InternalRow => Unit = {
    val fractions = percentages.toArray
    target => {
      val results = new Array[Any](fractions.length)
      var i = 0
      while (i < fractions.length) {
        results(i) = converted(rule(values, fractions(i)))
        i += 1
      }
      target.update(ordinal, new GenericArrayData(results))
    }
  }

  private def one(values: RankedValues, ordinal: Int): InternalRow => Unit = {
    val fractions = percentages.headOption.getOrElse(0.0)
    if (result == DoubleType) target => target.setDouble(ordinal, rule(values, fractions))
    else {
      val write = InternalRow.getWriter(ordinal, result)
      target => {
        val value = converted(rule(values, fractions))
        if (value == null) target.setNullAt(ordinal) else write(target, value)
      }
    }
  }

  // Spark's own functions compute with doubles, too.
  private val converted: Double => Any = result match {
    case d: DecimalType =>
      value => {
        val decimal = Decimal(value)
        if (decimal.changePrecision(d.precision, d.scale)) decimal else null
      }
    case other =>
      PhysicalDataType(other) match {
        case PhysicalByteType => _.toByte
        case PhysicalShortType => _.toShort
        case PhysicalIntegerType => _.toInt
        case PhysicalLongType => _.toLong
        case PhysicalFloatType => _.toFloat
        case _ => value => value
      }
  }
}
