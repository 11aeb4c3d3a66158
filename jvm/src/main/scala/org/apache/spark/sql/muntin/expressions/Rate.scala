package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.catalyst.util.DateTimeConstants.{MICROS_PER_DAY, MICROS_PER_SECOND}
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  CallStyleAggregate,
  Definition,
  Definitions,
  DurationText,
  RaisedCondition,
  SqlFunction
}
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Elements per unit: their number, divided by the length of the first element's validity; see
 * `Rate.definition`. `start` and `end` have one type.
 */
final case class Rate(start: Expression, end: Expression, unit: Option[Literal])
    extends DeclarativeAggregate
    with BinaryLike[Expression]
    with CallStyleAggregate {
  override def prettyName: String = Rate.name

  override def left: Expression = start

  override def right: Expression = end

  override def dataType: DataType = DoubleType

  override def nullable: Boolean = true

  override protected def argumentTexts(format: Expression => String): Seq[String] =
    (Seq(start, end) ++ unit).map(format)

  /**
   * Returns how long a row's element is valid, in microseconds or the numbers' own unit; null if
   * it has no length.
   */
  lazy val length: Expression = start.dataType match {
    case TimestampType | TimestampNTZType =>
      Cast(Arithmetic.minusOrNull(micros(end), micros(start)), DoubleType)
    case DateType =>
      val days = Cast(DateDiff(end, start), DoubleType)
      Arithmetic.times(days, Literal(MICROS_PER_DAY.toDouble))
    // Exact if it fits the type.
    case _: IntegralType | _: DecimalType =>
      Coalesce(Seq(Cast(Arithmetic.minusOrNull(end, start), DoubleType), inDouble))
    case _ => inDouble
  }

  private def inDouble: Expression =
    Arithmetic.minus(Cast(end, DoubleType), Cast(start, DoubleType))

  private def micros(time: Expression): Expression =
    PreciseTimestampConversion(time, time.dataType, LongType)

  /** Returns the unit, in the measure of `length`. */
  lazy val unitLength: Double = unit.map(Rate.lengthOf).getOrElse(start.dataType match {
    case TimestampType | TimestampNTZType => MICROS_PER_SECOND.toDouble
    case DateType => MICROS_PER_DAY.toDouble
    case _ => 1.0
  })

  private lazy val elements = AttributeReference("elements", LongType, nullable = false)()
  private lazy val first = AttributeReference("first", DoubleType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(elements, first)

  override lazy val initialValues: Seq[Expression] = Seq(Literal(0L), Literal(null, DoubleType))

  override lazy val updateExpressions: Seq[Expression] = Seq(
    If(IsNull(length), elements, Add(elements, Literal(1L))),
    If(EqualTo(elements, Literal(0L)), length, first)
  )

  override lazy val mergeExpressions: Seq[Expression] = Seq(
    Add(elements.left, elements.right),
    If(EqualTo(elements.left, Literal(0L)), first.right, first.left)
  )

  // A single division, so that the result is rounded once. A division by zero is null.
  override lazy val evaluateExpression: Expression = If(
    LessThan(first, Literal(0.0)),
    RaisedCondition("MUNTIN_RATE_ENDS_BEFORE_START", endsBeforeStart, DoubleType),
    Arithmetic.divide(Arithmetic.times(Cast(elements, DoubleType), Literal(unitLength)), first)
  )

  private def endsBeforeStart: Map[String, String] = Map(
    "function" -> Rate.name,
    "call" -> sql,
    "start" -> start.sql,
    "end" -> end.sql
  )

  override protected def withNewChildrenInternal(
      newLeft: Expression,
      newRight: Expression
  ): Rate = copy(start = newLeft, end = newRight)
}

object Rate extends SqlFunction {
  override def definition: Definition = Definitions.rate

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(start, end, unit) =>
      val read = new Arguments(name)
      val common = Some((start.dataType, end.dataType))
        .filter { case (a, b) =>
          (isMeasured(a) || a == NullType) && (isMeasured(b) || b == NullType)
        }
        .flatMap { case (a, b) => AnsiTypeCoercion.findWiderTypeForTwo(a, b) }
        .filter(isMeasured)
        .getOrElse(
          throw read.error(
            "MUNTIN_INCOMPATIBLE_TIMES",
            "start" -> start.sql,
            "startType" -> start.dataType.sql,
            "end" -> end.sql,
            "endType" -> end.dataType.sql
          )
        )
      Rate(
        cast(start, common),
        cast(end, common),
        read.expression(unit).map(unitOf(read, _, common))
      )
  }

  private def isMeasured(dataType: DataType): Boolean = dataType match {
    case TimestampType | TimestampNTZType | DateType | _: NumericType => true
    case _ => false
  }

  private def cast(argument: Expression, dataType: DataType): Expression =
    if (argument.dataType == dataType) argument
    else Cast(argument, dataType, Some(SQLConf.get.sessionLocalTimeZone))

  private[expressions] def unitOf(
      read: Arguments,
      unit: Expression,
      measured: DataType
  ): Literal = {
    val expectation = measured match {
      case _: NumericType => "a positive number, as start and end are numbers"
      case _ => "a positive interval of days or less, such as '1 minute' or INTERVAL 1 MINUTE"
    }
    val literal = (measured, unit.dataType) match {
      case (_: NumericType, _: NumericType) => constant(unit)
      case (_: NumericType, _) => None
      case (_, _: DayTimeIntervalType | CalendarIntervalType) => constant(unit)
      case (_, _: StringType) => constant(unit).map(_.value).collect {
          case DurationText(interval) => Literal(interval, CalendarIntervalType)
        }
      case _ => None
    }
    literal
      .filter { l =>
        val length = lengthOf(l); length > 0 && !length.isInfinite
      }
      .getOrElse(throw read.invalidValue("unit", unit, expectation))
  }

  private def constant(unit: Expression): Option[Literal] =
    if (unit.foldable) Option(unit.eval()).map(Literal(_, unit.dataType)) else None

  private[expressions] def lengthOf(unit: Literal): Double = unit.value match {
    case interval: CalendarInterval if interval.months != 0 => Double.NaN
    case interval: CalendarInterval =>
      interval.days.toDouble * MICROS_PER_DAY + interval.microseconds
    case decimal: Decimal => decimal.toDouble
    case number: Number => number.doubleValue
    case _ => Double.NaN
  }
}
