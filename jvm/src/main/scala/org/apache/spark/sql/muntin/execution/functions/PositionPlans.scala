package org.apache.spark.sql.muntin.execution.functions

import org.apache.spark.sql.muntin.execution.rows.{Output, PickOutput, RowsWhere, ValueType}
import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.extremes.{NonMonotonicNth, NthOfPieces, Pick, RunningNth, SlidingNth}
import io.muntin.kernel.sums.NonNullCount
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.muntin.expressions.{Nth, Rate}
import org.apache.spark.sql.muntin.expressions.common.RowDependentNth

/**
 * Plans first, last, nth, nth_value, lead, lag, rate: the value of the row at some place of the
 * frame.
 */
object PositionPlans {
  val plans: PartialFunction[Call, AggregatePlan] = {
    case call @ Call(First(input, ignoreNulls), _) => ranked(call, input, ignoreNulls, 1)
    case call @ Call(Last(input, ignoreNulls), _) => ranked(call, input, ignoreNulls, -1)
    case call @ Call(NthValue(input, IntegerValue(n), ignoreNulls), _) =>
      ranked(call, input, ignoreNulls, n)
    case call @ Call(Nth(input, n, _, _), _) => ranked(call, input, ignoreNulls = false, n)
    case call @ Call(RowDependentNth(input, n), _) => RowsNth(input, call.marks, n)
    case call @ Call(rate: Rate, _) => RateOfFirst(rate, call.masked(rate.length))
  }

  /** lead and lag, which need a current row. */
  val shifted: PartialFunction[Call, FunctionPlan] = { case Call(AtOffset(function, row), _) =>
    OffsetRow(function.input, Option(function.default), row.nth, row.ignoreNulls)
  }

  private object AtOffset {
    def unapply(function: Expression): Option[(FrameLessOffsetWindowFunction, ShiftedRow)] =
      function match {
        case f: FrameLessOffsetWindowFunction => ShiftedRow.of(f).map(f -> _)
        case _ => None
      }
  }

  private def ranked(call: Call, input: Expression, ignoreNulls: Boolean, n: Int): NthRow =
    if (ignoreNulls) {
      val masked = call.masked(input)
      NthRow(masked, Some(masked), n)
    } else NthRow(input, call.marks, n)
}

private trait PositionPlan extends FunctionPlan {
  def input: Expression
  def present: Option[Expression]
  def n: Int

  /** Returns the abilities of the accumulator of `pick`. */
  final protected def abilities(frame: FrameKind): Abilities =
    if (frame.hasHoles) ListPlans.abilities(frame)
    else if (frame.isNonMonotonic) NonMonotonicNth.abilities(marked = present.isDefined)
    else if (frame.evicts) SlidingNth.abilities(marked = present.isDefined)
    else RunningNth.abilities(n)

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(abilities(frame))

  override def tail: Option[RowsWhere] = Option.when(n < 0) {
    RowsWhere(present.fold[Expression](Literal.TrueLiteral)(IsNotNull(_)), -n.toLong)
  }

  final protected def pick(frame: FrameBuilder): Pick =
    if (frame.hasHoles) new NthOfPieces(ListPlans.rows(frame, input, present), n)
    else
      frame.accumulator[Pick](("nth", input.canonicalized, present.map(_.canonicalized), n)) {
        val values = frame.column(input)
        val marks = present.map(frame.column).filter(_.isNullable)
        if (frame.isNonMonotonic) new NonMonotonicNth(frame.memory, values, marks, n, frame.motion)
        else if (frame.evicts) new SlidingNth(frame.memory, values, marks, n)
        else new RunningNth(values, marks, n)
      }
}

private final case class NthRow(input: Expression, present: Option[Expression], n: Int)
    extends PositionPlan
    with AggregatePlan {
  override def build(frame: FrameBuilder, ordinal: Int): Output =
    new PickOutput(pick(frame), ordinal, ValueType(input.dataType).writer(ordinal))
}

/** nth_value whose number depends on the row: the row's own frame, as a list. */
private final case class RowsNth(input: Expression, present: Option[Expression], n: Expression)
    extends AggregatePlan {
  override def abilitiesIn(frame: FrameKind): Seq[Abilities] = Seq(ListPlans.abilities(frame))

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val rowFrame = OfRow(frame)
    val rows = ListPlans.rows(frame, input, present)
    val numbers = rowFrame.currentColumn(n).asInstanceOf[LongColumn]
    val writer = ValueType(input.dataType).writer(ordinal)
    new Output {
      override def followsRow: Boolean = true

      override def write(target: InternalRow): Unit = {
        val index = place(rowFrame.currentRow)
        val position = if (index < 0L || index >= rows.size) -1L else rows.position(index.toInt)
        if (position < 0L || rows.values.isNull(position)) target.setNullAt(ordinal)
        else writer.write(rows.values, position, target)
      }

      private def place(row: Long): Long =
        if (numbers.isNull(row)) -1L
        else {
          val number = numbers(row)
          if (number > 0L) number - 1L else if (number == 0L) -1L else rows.size + number
        }
    }
  }
}

/** rate: the first element's length, and the number of elements. */
private final case class RateOfFirst(rate: Rate, input: Expression) extends PositionPlan
    with AggregatePlan {
  override def present: Option[Expression] = Some(input)

  override def n: Int = 1

  override def abilitiesIn(frame: FrameKind): Seq[Abilities] =
    Seq(abilities(frame), NonNullCount.abilities)

  override def build(frame: FrameBuilder, ordinal: Int): Output = {
    val first = pick(frame)
    val elements = frame.accumulator(("count", input.canonicalized)) {
      new NonNullCount(frame.column(input))
    }
    new Output {
      private val lengths = first.values.asInstanceOf[DoubleColumn]
      private val unit = rate.unitLength
      private lazy val finish = new SparkFinish(rate)

      override def write(target: InternalRow): Unit =
        if (elements.count == 0L) target.setNullAt(ordinal)
        else {
          val length = lengths(first.position)
          if (length > 0.0) target.setDouble(ordinal, elements.count * unit / length)
          else {
            finish(elements.count, length) match {
              case value: Double => target.setDouble(ordinal, value)
              case _ => target.setNullAt(ordinal)
            }
          }
        }
    }
  }
}

/**
 * lead and lag: the nth row of a separate frame (FramePlan.ofShifted), or a default if the frame is
 * empty.
 */
private final case class OffsetRow(
    input: Expression,
    default: Option[Expression],
    n: Int,
    ignoreNulls: Boolean
) extends PositionPlan {
  override def present: Option[Expression] = if (ignoreNulls) Some(input) else None

  override def buildForRow(frame: RowFrameBuilder, ordinal: Int): Output = {
    val found = pick(frame)
    val writer = ValueType(input.dataType).writer(ordinal)
    default.filterNot(e => e.foldable && e.eval() == null).map(frame.currentColumn) match {
      case None => new PickOutput(found, ordinal, writer)
      case Some(defaults: Column) =>
        new Output {
          override def followsRow: Boolean = true

          override def write(target: InternalRow): Unit = {
            val position = found.position
            if (position >= 0) put(found.values, position, target)
            else put(defaults, frame.currentRow, target)
          }

          private def put(column: Column, position: Long, target: InternalRow): Unit =
            if (column.isNull(position)) target.setNullAt(ordinal)
            else writer.write(column, position, target)
        }
    }
  }
}
