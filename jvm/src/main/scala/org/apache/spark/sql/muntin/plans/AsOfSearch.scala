package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, First, Last}
import org.apache.spark.sql.catalyst.plans.{Inner, LeftAnti, LeftOuter, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.{AsOf, GroupWindow, WindowBy}
import org.apache.spark.sql.muntin.spark.{Arithmetic, GroupBy, JoinOn}
import org.apache.spark.sql.types._

/**
 * The rows of an AsOfRows node, found by window_by:
 *
 *     backward    the last row in [left_time - tolerance, left_time]
 *     forward     the first row in [left_time, left_time + tolerance]
 *     nearest     both, one after the other, and the nearer of the two
 *
 * Without a tolerance the window begins at the least value of the type. A window without an end
 * would hold all rows that follow; so forward then goes backward along the times reversed.
 */
private[plans] final class AsOfSearch(rows: AsOfRows) {
  import rows.{left, leftTime, right, rightTime, strict}

  private val timeType: DataType = leftTime.dataType

  private val isFinite: Option[Expression] = timeType match {
    case DoubleType | FloatType =>
      val infinite = Cast(Literal(Double.PositiveInfinity), timeType)
      Some(LessThan(Abs(leftTime), infinite))
    case _ if leftTime.nullable && !right.isStreaming => Some(IsNotNull(leftTime))
    case _ => None
  }

  private val found = right.output.map(a => Alias(a, a.name)())
  private val isFound = Alias(Literal.TrueLiteral, "found")()
  private val foundTime = Alias(rightTime, "time")()

  /** The query that has the node's output. */
  def plan: LogicalPlan = {
    val (plan, columns) = search
    lazy val ofRight = right.output.zip(columns).map { case (a, result) =>
      Alias(result, a.name)(a.exprId, a.qualifier, Some(a.metadata))
    }
    rows.joinType match {
      case LeftSemi => Project(left.output, Filter(IsNotNull(columns.last), plan))
      case LeftAnti => Project(left.output, Filter(IsNull(columns.last), plan))
      case Inner => Project(left.output ++ ofRight, Filter(IsNotNull(columns.last), plan))
      case _ => Project(left.output ++ ofRight, plan)
    }
  }

  /** The left side with the columns of what is found beside it, and last whether it is. */
  private def search: (LogicalPlan, Seq[Expression]) = rows.direction match {
    case AsOf.Backward => beside(left, backward, found :+ isFound)
    case AsOf.Forward => beside(left, forward, found :+ isFound)
    case _ => nearest
  }

  private def nearest: (LogicalPlan, Seq[Expression]) = {
    val (once, before) = beside(left, backward, found :+ foundTime :+ isFound)
    val (twice, after) = beside(once, forward, found :+ foundTime :+ isFound)
    val (timeBefore, timeAfter) = (before(before.size - 2), after(after.size - 2))
    val isBefore = Or(
      IsNull(after.last),
      And(
        IsNotNull(before.last),
        LessThanOrEqual(distance(timeBefore, leftTime), distance(leftTime, timeAfter))
      )
    )
    val columns = before.zip(after).map { case (b, a) => If(isBefore, b, a) }
    (twice, columns.patch(columns.size - 2, Nil, 1))
  }

  private def backward: Window = Window(
    rightTime,
    rows.start.fold[Expression](least(timeType))(orZero),
    orZero(leftTime),
    if (strict) "left" else "both",
    new Last(_, false)
  )

  private def forward: Window = rows.end match {
    case Some(end) =>
      val closed = if (strict) "right" else "both"
      Window(rightTime, orZero(leftTime), orZero(end), closed, new First(_, false))
    case None =>
      val end = reversed(orZero(leftTime))
      val closed = if (strict) "left" else "both"
      Window(reversed(rightTime), least(end.dataType), end, closed, new Last(_, false))
  }

  /** A row's window, and the aggregate that takes a row of it. */
  private case class Window(
      time: Expression,
      start: Expression,
      end: Expression,
      closed: String,
      taken: Expression => AggregateFunction
  )

  /** `anchors`, which have the left side's columns, with these columns of the row that is found. */
  private def beside(
      anchors: LogicalPlan,
      window: Window,
      columns: Seq[Alias]
  ): (LogicalPlan, Seq[Expression]) = {
    val anchor = Alias(
      CreateNamedStruct(anchors.output.flatMap(a => Seq(Literal(a.name), a))),
      packed("anchor")
    )()
    val start = Alias(window.start, packed("start"))()
    val end = Alias(window.end, packed("end"))()
    val (ofLeft, ofRight) = matched.unzip
    val keysOfLeft = ofLeft.zipWithIndex.map { case (k, i) => Alias(k, packed(s"key_$i"))() }
    val by = WindowBy(
      anchor.toAttribute,
      window.time,
      start.toAttribute,
      end.toAttribute,
      keysOfLeft.zip(ofRight).map { case (l, r) => EqualTo(l.toAttribute, r) },
      window.closed,
      // The start is as much later as the time is: a later row reaches no further back.
      if (right.isStreaming) Some(start.toAttribute) else None,
      None
    )
    val sides =
      JoinOn(Project(Seq(anchor, start, end) ++ keysOfLeft, anchors), right, LeftOuter, by)
    val first =
      Alias(new First(anchor.toAttribute, false).toAggregateExpression(), packed("anchor"))()
    val results = columns.map { column =>
      Alias(window.taken(column.child).toAggregateExpression(), column.name)()
    }
    val kept = anchors.output.zipWithIndex.map { case (a, i) =>
      Alias(GetStructField(first.toAttribute, i), a.name)(a.exprId, a.qualifier)
    }
    (
      Project(kept ++ results.map(_.toAttribute), GroupBy(Nil, first +: results, sides)),
      results.map(_.toAttribute)
    )
  }

  /** The keys; a row of the left side that matches no row has none of them. */
  private def matched: Seq[(Expression, Expression)] =
    (rows.onLeft ++ isFinite).reduceOption(And(_, _))
      .fold(rows.leftKeys.zip(rows.rightKeys)) { isMatched =>
        rows.leftKeys.zip(rows.rightKeys) match {
          case (l, r) +: others => (onlyIf(isMatched, l), r) +: others
          case _ => Seq((onlyIf(isMatched, Literal.TrueLiteral), Literal.TrueLiteral))
        }
      }

  private def onlyIf(condition: Expression, value: Expression): Expression =
    If(condition, value, Literal(null, value.dataType))

  /** A time of a row without one has no match, and must not be null or infinite. */
  private def orZero(time: Expression): Expression =
    isFinite.fold(time)(If(_, time, Literal.default(timeType)))

  private def distance(from: Expression, until: Expression): Expression = {
    val (a, b) = (number(from), number(until))
    if (a.dataType != LongType) Arithmetic.difference(b, a)
    else Arithmetic.difference(Cast(b, DecimalType(20, 0)), Cast(a, DecimalType(20, 0)))
  }

  private def reversed(time: Expression): Expression = number(time) match {
    case long if long.dataType == LongType => BitwiseNot(long)
    case other => UnaryMinus(other)
  }

  private def number(time: Expression): Expression = timeType match {
    case TimestampType | TimestampNTZType => PreciseTimestampConversion(time, timeType, LongType)
    case DateType => Cast(UnixDate(time), LongType)
    case _: IntegralType => Cast(time, LongType)
    case FloatType => Cast(time, DoubleType)
    case _ => time
  }

  private def least(dataType: DataType): Literal = dataType match {
    case d: DecimalType =>
      val digits = BigDecimal(BigInt(10).pow(d.precision) - 1, d.scale)
      Literal(Decimal(-digits, d.precision, d.scale), d)
    case ByteType => Literal(Byte.MinValue)
    case ShortType => Literal(Short.MinValue)
    case IntegerType | DateType => Literal(Int.MinValue, dataType)
    case FloatType => Literal(Float.NegativeInfinity)
    case DoubleType => Literal(Double.NegativeInfinity)
    case _ => Literal(Long.MinValue, dataType)
  }

  private def packed(part: String): String = WindowBy.Prefix + part
}

/**
 * An AsOfRows node becomes windows of window_by: over streams when the query is resolved, and in a
 * batch in the optimizer, since the analyzer would take a column that comes out with the id that it
 * has below for two columns.
 */
object PlaceAsOfRows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = placed(plan, ofStreams = false)

  object OfStreams extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (plan.isStreaming) placed(plan, ofStreams = true) else plan
  }

  private def placed(plan: LogicalPlan, ofStreams: Boolean): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      case rows: AsOfRows if rows.resolved && rows.isStreaming == ofStreams =>
        PlaceAnchoredWindows(new AsOfSearch(rows).plan)
    }
}
