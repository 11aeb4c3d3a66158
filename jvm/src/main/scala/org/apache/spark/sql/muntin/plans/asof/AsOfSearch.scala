package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, First, Last}
import org.apache.spark.sql.catalyst.plans.{Inner, LeftAnti, LeftOuter, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.expressions.{AsOf, WindowBy}
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.anchored.PlaceAnchoredWindows
import org.apache.spark.sql.muntin.plans.logical.AsOfRows
import org.apache.spark.sql.muntin.spark.{Arithmetic, GroupBy, JoinOn}
import org.apache.spark.sql.types._

/**
 * Finds the rows of an AsOfRows node over a stream with window_by:
 *
 *     backward    the last row in [left_time - tolerance, left_time]
 *     forward     the first row in [left_time, left_time + tolerance]
 *     nearest     both, one after the other, and the nearer match
 */
private[plans] final class AsOfSearch(rows: AsOfRows) {
  import rows.{left, right}
  import rows.reach.strict

  private val leftTime = rows.ofLeft.time
  private val rightTime = rows.ofRight.time
  private val timeType: DataType = leftTime.dataType

  private val isFinite: Option[Expression] = timeType match {
    case DoubleType | FloatType =>
      val infinite = Cast(Literal(Double.PositiveInfinity), timeType)
      Some(LessThan(Abs(leftTime), infinite))
    case _ if leftTime.nullable && !right.isStreaming => Some(IsNotNull(leftTime))
    case _ => None
  }

  private val matchColumns = right.output.map(a => Alias(a, a.name)())
  private val isFound = Alias(Literal.TrueLiteral, "found")()
  private val foundTime = Alias(rightTime, "time")()

  /** Returns the query that has the node's output. */
  def plan: LogicalPlan = {
    val search = rows.reach.direction match {
      case AsOf.Backward => withMatches(Anchors.ofLeft, backward, matchColumns :+ isFound)
      case AsOf.Forward => withMatches(Anchors.ofLeft, forward, matchColumns :+ isFound)
      case _ => nearest
    }
    val (kept, ifFound) = rows.joinType match {
      case LeftAnti => (Filter(IsNull(search.matchColumns.last), search.plan), Nil)
      case LeftSemi => (Filter(IsNotNull(search.matchColumns.last), search.plan), Nil)
      case Inner => (Filter(IsNotNull(search.matchColumns.last), search.plan), right.output)
      case _ => (search.plan, right.output)
    }
    val outputs = (left.output ++ ifFound).zip(search.ofLeft ++ search.matchColumns)
    Project(
      outputs.map { case (a, result) => Alias(result, a.name)(a.exprId, a.qualifier) },
      kept
    )
  }

  private def nearest: Anchors = {
    val matchedBackward =
      withMatches(Anchors.ofLeft, backward, matchColumns :+ foundTime :+ isFound)
    val matchedBoth =
      withMatches(matchedBackward.withoutFound, forward, matchColumns :+ foundTime :+ isFound)
    val before = matchedBoth.ofLeft.drop(left.output.size)
    val after = matchedBoth.matchColumns
    val time = matchedBoth(leftTime)
    val isBefore = Or(
      IsNull(after.last),
      And(
        IsNotNull(before.last),
        LessThanOrEqual(
          distance(before(before.size - 2), time),
          distance(time, after(after.size - 2))
        )
      )
    )
    val columns = before.zip(after).map { case (b, a) => If(isBefore, b, a) }
    new Anchors(
      matchedBoth.plan,
      matchedBoth.ofLeft.take(left.output.size),
      columns.patch(columns.size - 2, Nil, 1)
    )
  }

  /**
   * The rows of the left side with the columns found so far. `ofLeft` are the leading columns,
   * first the columns of the left side. `matchColumns` are the columns of the match; the last of
   * them is null if there is no match.
   */
  private final class Anchors(
      val plan: LogicalPlan,
      val ofLeft: Seq[Attribute],
      val matchColumns: Seq[Expression]
  ) {
    private val columns = AttributeMap(left.output.zip(ofLeft))

    /** Returns the expression with the left side's attributes replaced by this plan's columns. */
    def apply(expression: Expression): Expression = expression.transformUp {
      case a: Attribute => columns.getOrElse(a, a)
    }

    def withoutFound: Anchors = new Anchors(plan, plan.output, Nil)
  }

  private object Anchors {
    def ofLeft: Anchors = new Anchors(left, left.output, Nil)
  }

  private def backward: Window = Window(
    orZero(within(rows.reach.start)),
    orZero(leftTime),
    if (strict) "left" else "both",
    new Last(_, false)
  )

  private def forward: Window = {
    val closed = if (strict) "right" else "both"
    Window(orZero(leftTime), orZero(within(rows.reach.end)), closed, new First(_, false))
  }

  private def within(end: Option[Expression]): Expression =
    end.getOrElse(throw new IllegalStateException("an as-of join of a stream without tolerance"))

  /** A row's window, and the aggregate that takes one of the rows in the window. */
  private case class Window(
      start: Expression,
      end: Expression,
      closed: String,
      taken: Expression => AggregateFunction
  )

  /** Adds to the anchors these columns of the row that is found in each anchor's window. */
  private def withMatches(anchors: Anchors, window: Window, columns: Seq[Alias]): Anchors = {
    val anchor = Alias(
      CreateNamedStruct(anchors.ofLeft.flatMap(a => Seq(Literal(a.name), a))),
      packed("anchor")
    )()
    val start = Alias(anchors(window.start), packed("start"))()
    val end = Alias(anchors(window.end), packed("end"))()
    val (ofLeft, ofRight) = matched.unzip
    val keysOfLeft = ofLeft.zipWithIndex.map { case (k, i) =>
      Alias(anchors(k), packed(s"key_$i"))()
    }
    val by = WindowBy(
      anchor.toAttribute,
      rightTime,
      start.toAttribute,
      end.toAttribute,
      keysOfLeft.zip(ofRight).map { case (l, r) => EqualTo(l.toAttribute, r) },
      window.closed,
      // The start is a constant offset from the time, so it serves as `obsolete`: a later row does
      // not reach further back.
      if (right.isStreaming) Some(start.toAttribute) else None,
      None,
      ordered = false
    )
    val sides =
      JoinOn(Project(Seq(anchor, start, end) ++ keysOfLeft, anchors.plan), right, LeftOuter, by)
    val first =
      Alias(new First(anchor.toAttribute, false).toAggregateExpression(), packed("anchor"))()
    val results = columns.map { column =>
      Alias(window.taken(column.child).toAggregateExpression(), column.name)()
    }
    val kept = anchors.ofLeft.zipWithIndex.map { case (a, i) =>
      Alias(GetStructField(first.toAttribute, i), a.name)()
    }
    val matchColumns = results.map(_.toAttribute)
    new Anchors(
      Project(kept ++ matchColumns, GroupBy(Nil, first +: results, sides)),
      kept.map(_.toAttribute),
      matchColumns
    )
  }

  /** Returns the keys, which are null for a row of the left side that cannot match. */
  private def matched: Seq[(Expression, Expression)] = {
    val keys = rows.ofLeft.keys.zip(rows.ofRight.keys)
    (rows.onLeft ++ isFinite).reduceOption(And(_, _)).fold(keys) { isMatched =>
      keys match {
        case (l, r) +: others => (onlyIf(isMatched, l), r) +: others
        case _ => Seq((onlyIf(isMatched, Literal.TrueLiteral), Literal.TrueLiteral))
      }
    }
  }

  private def onlyIf(condition: Expression, value: Expression): Expression =
    If(condition, value, Literal(null, value.dataType))

  /**
   * Returns zero for a row without a finite time, which has no match: a window's bounds must not be
   * null or infinite.
   */
  private def orZero(time: Expression): Expression =
    isFinite.fold(time)(If(_, time, Literal.default(timeType)))

  private def distance(from: Expression, until: Expression): Expression = {
    val (a, b) = (number(from), number(until))
    if (a.dataType != LongType) Arithmetic.difference(b, a)
    else Arithmetic.difference(Cast(b, DecimalType(20, 0)), Cast(a, DecimalType(20, 0)))
  }

  private def number(time: Expression): Expression = timeType match {
    case TimestampType | TimestampNTZType => PreciseTimestampConversion(time, timeType, LongType)
    case DateType => Cast(UnixDate(time), LongType)
    case _: IntegralType => Cast(time, LongType)
    case FloatType => Cast(time, DoubleType)
    case _ => time
  }

  private def packed(part: String): String = WindowBy.Prefix + part
}

/**
 * Replaces an AsOfRows node over a stream by window_by windows when the query is resolved. A node
 * of two tables becomes a separate operator, which the optimizer prepares. The analyzer would treat
 * an output column with the id of a column below it as two columns.
 */
object PlaceAsOfRows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.transformUpWithPruning(_.containsPattern(GroupWindow.Pattern)) {
      case rows: AsOfRows if !rows.isPlaced && !rows.isStreaming => AsOfColumns(rows)
    }

  object OfStreams extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (!plan.isStreaming) plan
      else {
        plan.resolveOperatorsUpWithPruning(_.containsPattern(GroupWindow.Pattern)) {
          case rows: AsOfRows if rows.resolved && rows.isStreaming =>
            PlaceAnchoredWindows(new AsOfSearch(rows).plan)
        }
      }
  }
}
