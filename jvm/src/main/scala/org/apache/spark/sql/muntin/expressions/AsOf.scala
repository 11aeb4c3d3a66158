package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.catalyst.util.DateTimeConstants.MICROS_PER_DAY
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * The condition that selects the as-of row of a join's right side for a row of the left side; see
 * `AsOf.definition`. It is in a query only until its join is placed.
 */
final case class AsOf(
    leftTime: Expression,
    rightTime: Expression,
    direction: String,
    tolerance: Option[Expression],
    strict: Boolean
) extends Expression
    with Unevaluable {
  override def children: Seq[Expression] = Seq(leftTime, rightTime) ++ tolerance

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def prettyName: String = AsOf.name

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): AsOf =
    copy(
      leftTime = newChildren(0),
      rightTime = newChildren(1),
      tolerance = tolerance.map(_ => newChildren(2))
    )
}

object AsOf extends SqlFunction {
  val Backward = "backward"
  val Forward = "forward"
  val Nearest = "nearest"

  override def definition: Definition = Definitions.asof

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(leftTime, rightTime, direction, tolerance, strict) =>
      val read = new Arguments(name)
      AsOf(
        read.row("left_time", leftTime),
        read.row("right_time", rightTime),
        read.word("direction", direction, Seq(Backward, Forward, Nearest)),
        read.expression(tolerance).map(length(read, _, leftTime)),
        read.flag("strict", strict)
      )
  }

  /** Returns true if rows can be found by times of this type. */
  private[muntin] def isTime(dataType: DataType): Boolean = dataType match {
    case _: NumericType | DateType | TimestampType | TimestampNTZType => true
    case _ => false
  }

  /** Returns the error for a call that is not itself a condition of a join. */
  def misplaced(call: AsOf, place: String): AnalysisException =
    new Arguments(name).error("MUNTIN_MISPLACED_AS_OF", "call" -> call.sql, "place" -> place)

  private def length(read: Arguments, tolerance: Expression, time: Expression): Expression = {
    def wrong(expected: String) = read.invalidValue(
      "tolerance",
      tolerance,
      s"$expected, because left_time is a ${time.dataType.sql}"
    )
    if (!tolerance.foldable) throw read.invalidValue("tolerance", tolerance, "a literal")
    (time.dataType, tolerance.dataType) match {
      case (_: NumericType, _: NumericType) =>
        val isNegative = LessThan(Cast(tolerance, DoubleType), Literal(0.0)).eval()
        if (isNegative != false) throw wrong("a number that is not negative, such as 10")
        tolerance
      case (_: NumericType, _) => throw wrong("a number, such as 10")
      case (DateType | TimestampType | TimestampNTZType, _) => interval(tolerance).getOrElse {
          throw wrong("a duration that is not negative, such as '10 minutes' or INTERVAL 1 DAY")
        }
      case _ =>
        throw read.invalidType(
          "left_time",
          time,
          "a number, a DATE or a timestamp, because the call has a tolerance"
        )
    }
  }

  private def interval(tolerance: Expression): Option[Expression] =
    (tolerance.dataType, tolerance.eval()) match {
      case (_: StringType, DurationText(duration)) => interval(duration)
      case (CalendarIntervalType, duration: CalendarInterval) => interval(duration)
      case (_: DayTimeIntervalType, micros: Long) if micros >= 0L => Some(tolerance)
      case (_: YearMonthIntervalType, months: Int) if months >= 0 => Some(tolerance)
      case _ => None
    }

  private def interval(duration: CalendarInterval): Option[Expression] =
    if (duration.months < 0 || duration.days < 0 || duration.microseconds < 0L) None
    else if (duration.months > 0) Some(Literal(duration, CalendarIntervalType))
    else {
      val micros = Math.addExact(duration.days * MICROS_PER_DAY, duration.microseconds)
      Some(Literal(micros, DayTimeIntervalType()))
    }
}
