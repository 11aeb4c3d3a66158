package org.apache.spark.sql.muntin.expressions

import java.math.{BigDecimal => JBigDecimal}

import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.merging.KernelPartials
import io.muntin.kernel.sums.{Decay, DecayedRows, DecayedSums, RowDecay, TimeDecay}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.aggregates.KernelAggregate
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{CalendarInterval, UTF8String}

/** A statistic computed from weighted sums. */
sealed abstract class EwmStatistic(val name: String, val columns: Int, val hasBias: Boolean)
    extends Serializable

object EwmStatistic {
  case object Mean extends EwmStatistic("ewm_mean", 1, hasBias = false)
  case object Variance extends EwmStatistic("ewm_var", 1, hasBias = true)
  case object Deviation extends EwmStatistic("ewm_std", 1, hasBias = true)
  case object Covariance extends EwmStatistic("ewm_cov", 2, hasBias = true)
  case object Correlation extends EwmStatistic("ewm_corr", 2, hasBias = false)
}

/** The decay of weights, as a query specifies it. */
sealed trait EwmWeights extends Serializable {
  def decay: Decay

  /** Returns the arguments of the call. */
  def text: Seq[String]
}

final case class RowWeights(
    by: String,
    value: JBigDecimal,
    argumentText: String,
    adjusts: Boolean,
    ignoresMissing: Boolean
) extends EwmWeights {
  override def decay: Decay = by match {
    case "half_life" => RowDecay.ofHalfLife(value, adjusts, ignoresMissing)
    case "span" => RowDecay.ofSpan(value, adjusts, ignoresMissing)
    case "com" => RowDecay.ofCenter(value, adjusts, ignoresMissing)
    case _ => RowDecay.ofAlpha(value, adjusts, ignoresMissing)
  }

  override def text: Seq[String] = s"$by => $argumentText" +:
    (Seq("adjust => false").filterNot(_ => adjusts) ++
      Seq("ignore_na => true").filter(_ => ignoresMissing))
}

final case class TimeWeights(
    halfLife: Long,
    argumentText: String,
    adjusts: Boolean,
    disorder: TimesGoBack
) extends EwmWeights {
  override def decay: Decay = new TimeDecay(halfLife, adjusts, disorder)

  override def text: Seq[String] =
    s"half_life => $argumentText" +: Seq("adjust => false").filterNot(_ => adjusts)
}

/**
 * An exponentially weighted mean, variance, deviation, covariance or correlation; see the
 * definitions ewm_mean and so on. If weights decay by time, the last child is the time.
 */
final case class Ewm(
    statistic: EwmStatistic,
    override val children: Seq[Expression],
    isTimed: Boolean,
    weights: EwmWeights,
    minPeriods: Int = 1,
    isBiased: Boolean = false,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends KernelAggregate[DecayedSums]
    with CallStyleAggregate {
  import EwmStatistic._

  override def prettyName: String = statistic.name

  override def dataType: DataType = DoubleType

  override def nullable: Boolean = true

  override protected def argumentTexts(format: Expression => String): Seq[String] = {
    val times = if (isTimed) Seq(s"times => ${format(children.last)}") else Nil
    val rest = Seq(s"min_periods => $minPeriods").filter(_ => minPeriods != 1) ++
      Seq("bias => true").filter(_ => isBiased)
    children.take(statistic.columns).map(format) ++ weights.text ++ times ++ rest
  }

  @transient override lazy val inputs: Seq[Expression] =
    children.take(statistic.columns).map(Ewm.asDouble) ++
      children.drop(statistic.columns).map(TimeInMicros(_))

  @transient private lazy val decay = weights.decay

  private def terms: DecayedSums.Terms = statistic match {
    case Mean => DecayedSums.Values
    case Variance | Deviation => DecayedSums.Squares
    case Covariance | Correlation => DecayedSums.Pairs
  }

  override def createAggregationBuffer(): DecayedSums = new DecayedSums(terms, decay)

  override def update(sums: DecayedSums, row: InternalRow): DecayedSums = {
    val values = inputs.map(_.eval(row))
    if (values.contains(null)) sums.miss()
    else {
      val y = if (statistic.columns == 2) values(1).asInstanceOf[Double] else 0.0
      val time = if (isTimed) values.last.asInstanceOf[Long] else 0L
      sums.add(values.head.asInstanceOf[Double], y, time)
    }
    sums
  }

  override protected def partials(
      columns: Seq[Column],
      marks: Option[Column]
  ): KernelPartials[DecayedSums] = {
    def double(i: Int) = columns(i).asInstanceOf[DoubleColumn]
    new DecayedRows(
      terms,
      decay,
      double(0),
      if (statistic.columns == 2) Some(double(1)) else None,
      if (isTimed) Some(columns.last.asInstanceOf[LongColumn]) else None,
      marks
    )
  }

  private def isNull(sums: DecayedSums): Boolean =
    sums.count < minPeriods || (statistic match {
      case Mean => false
      case Correlation => !sums.varies
      case _ => !sums.hasSpread(isBiased)
    })

  private def value(sums: DecayedSums): Double = statistic match {
    case Mean => sums.mean
    case Variance => sums.variance(isBiased)
    case Deviation => Math.sqrt(sums.variance(isBiased))
    case Covariance => sums.covariance(isBiased)
    case Correlation => sums.correlation
  }

  override def eval(sums: DecayedSums): Any = if (isNull(sums)) null else value(sums)

  override protected def write(sums: DecayedSums, target: InternalRow, ordinal: Int): Unit =
    if (isNull(sums)) target.setNullAt(ordinal) else target.setDouble(ordinal, value(sums))

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)

  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Ewm =
    copy(children = newChildren.toVector)
}

object Ewm {
  private[muntin] def asDouble(x: Expression): Expression =
    if (x.dataType == DoubleType) x else Cast(x, DoubleType)
}

/** The functions ewm_mean, ewm_var, ewm_std, ewm_cov and ewm_corr, one for each statistic. */
sealed abstract class EwmFunction(statistic: EwmStatistic, override val definition: Definition)
    extends SqlFunction {
  private val read = new Arguments(statistic.name)

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case arguments if arguments.size == parameters.size =>
      val (columns, others) = arguments.splitAt(statistic.columns)
      Seq("x", "y").zip(columns).foreach { case (parameter, column) => number(parameter, column) }
      val argument = parameters.drop(statistic.columns).map(_.name).zip(others).toMap
      val rates = Seq("half_life", "span", "com", "alpha")
        .flatMap(name => read.expression(argument(name)).map(name -> _))
      val adjusts = read.flag("adjust", argument("adjust"))
      val ignores = read.flag("ignore_na", argument("ignore_na"))
      val time = read.expression(argument("times"))
      val weights = (rates, time) match {
        case (Seq((by, value)), None) => byRows(by, value, adjusts, ignores)
        case (Seq(("half_life", value)), Some(at)) => byTime(value, at, adjusts, ignores)
        case (Seq((by, value)), Some(at)) =>
          throw read.error(
            "MUNTIN_EWM_BY_TIME_REQUIRES_HALF_LIFE",
            "parameter" -> by,
            "argument" -> value.sql,
            "times" -> at.sql
          )
        case (found, _) =>
          val passed = found.map { case (by, value) => s"$by => ${value.sql}" }.mkString(", ")
          throw read.error(
            "MUNTIN_EWM_REQUIRES_ONE_DECAY",
            "arguments" -> (if (passed.isEmpty) "none" else passed)
          )
      }
      Ewm(
        statistic,
        columns ++ time,
        time.isDefined,
        weights,
        read.positive("min_periods", argument("min_periods")),
        statistic.hasBias && read.flag("bias", argument("bias"))
      )
  }

  private def number(parameter: String, column: Expression): Unit = column.dataType match {
    case _: NumericType | NullType =>
    case _ =>
      throw read.invalidType(parameter, column, s"a number, such as CAST(${column.sql} AS DOUBLE)")
  }

  private def byRows(
      by: String,
      argument: Expression,
      adjusts: Boolean,
      ignores: Boolean
  ): RowWeights = {
    val (expected, fits) = by match {
      case "half_life" =>
        (
          "a number of rows above 0, or with times => at an interval",
          (v: JBigDecimal) =>
            v.signum > 0
        )
      case "span" =>
        ("a number of 1 or more", (v: JBigDecimal) => v.compareTo(JBigDecimal.ONE) >= 0)
      case "com" => ("a number of 0 or more", (v: JBigDecimal) => v.signum >= 0)
      case _ =>
        (
          "a number above 0, 1 at most",
          (v: JBigDecimal) =>
            v.signum > 0 && v.compareTo(JBigDecimal.ONE) <= 0
        )
    }
    val value = EwmFunction.number(argument).filter(fits).getOrElse {
      throw read.invalidValue(by, argument, s"a literal: $expected")
    }
    RowWeights(by, value, argument.sql, adjusts, ignores)
  }

  private def byTime(
      argument: Expression,
      time: Expression,
      adjusts: Boolean,
      ignores: Boolean
  ): TimeWeights = {
    val at = TimeInMicros.of(read, "times", time)
    if (ignores) {
      throw read.error("MUNTIN_IGNORE_NA_BY_TIME", "times" -> at.sql)
    }
    val isNumber = at.dataType.isInstanceOf[IntegralType]
    val length = if (isNumber) EwmFunction.whole(argument) else EwmFunction.micros(argument)
    val expected =
      if (isNumber) "a whole number above 0, because times are numbers"
      else "an interval of days or less, above 0, such as INTERVAL '1' HOUR"
    val halfLife = length.filter(_ > 0L).getOrElse {
      throw read.invalidValue("half_life", argument, s"a literal: $expected")
    }
    TimeWeights(
      halfLife,
      argument.sql,
      adjusts,
      TimesGoBack(statistic.name, "times", at)
    )
  }
}

object EwmFunction {
  private def number(argument: Expression): Option[JBigDecimal] =
    (if (argument.foldable) Option(argument.eval()) else None).flatMap {
      case decimal: Decimal => Some(decimal.toJavaBigDecimal)
      case double: Double if !double.isNaN && !double.isInfinite => Some(new JBigDecimal(double))
      case float: Float if !float.isNaN && !float.isInfinite =>
        Some(new JBigDecimal(float.toDouble))
      case whole @ (_: Byte | _: Short | _: Int | _: Long)
          if argument.dataType.isInstanceOf[IntegralType] =>
        Some(JBigDecimal.valueOf(whole.asInstanceOf[Number].longValue))
      case _ => None
    }

  private def whole(argument: Expression): Option[Long] =
    if (argument.dataType.isInstanceOf[IntegralType]) number(argument).map(_.longValue) else None

  private def micros(argument: Expression): Option[Long] =
    (if (argument.foldable) Option(argument.eval()) else None).flatMap {
      case text: UTF8String => DurationText.unapply(text).flatMap(lengthOf)
      case interval: CalendarInterval => lengthOf(interval)
      case length: Long if argument.dataType.isInstanceOf[DayTimeIntervalType] => Some(length)
      case _ => None
    }

  private def lengthOf(interval: CalendarInterval): Option[Long] =
    if (interval.months != 0) None
    else Some(Math.addExact(interval.days * MICROS_PER_DAY, interval.microseconds))
}

object EwmMean extends EwmFunction(EwmStatistic.Mean, Definitions.ewmMean)
object EwmVar extends EwmFunction(EwmStatistic.Variance, Definitions.ewmVar)
object EwmStd extends EwmFunction(EwmStatistic.Deviation, Definitions.ewmStd)
object EwmCov extends EwmFunction(EwmStatistic.Covariance, Definitions.ewmCov)
object EwmCorr extends EwmFunction(EwmStatistic.Correlation, Definitions.ewmCorr)
