package org.apache.spark.sql.muntin.plans

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedExtractValue, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.{
  BoundSide,
  Framed,
  GroupsFrame,
  InvalidArgument,
  Nth,
  NthOfRow,
  PositiveOfRow,
  RowBounds
}
import org.apache.spark.sql.muntin.parsing.StandardWords
import org.apache.spark.sql.muntin.spark.{Arithmetic, FrameBetween, FunctionCall, OverCall}
import org.apache.spark.sql.types.{Decimal, IntegralType, LongType}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Before anything is resolved: what the SQL standard has of windows and Spark has not, in functions
 * of Muntin's.
 *
 *     sum(x) OVER (… GROUPS 2 PRECEDING EXCLUDE TIES)      framed(sum(x), exclude => 'ties',
 *                                                              groups => …) OVER (…)
 *     nth_value(x, 2) FILTER (WHERE c) OVER w              nth(x, 2) FILTER (WHERE c) OVER w
 *     lag(x) FILTER (WHERE c) OVER (ORDER BY t)            nth(x, -1) FILTER (WHERE c) OVER (
 *                                                              ORDER BY t ROWS … 1 PRECEDING)
 *
 * GROUPS and EXCLUDE come as a mark, the last expression of ORDER BY: from StandardWords, or from
 * Python's and Scala's `over`.
 */
object StandardWindows extends Rule[LogicalPlan] {

  private val withoutFrame = Set(
    "row_number",
    "rank",
    "dense_rank",
    "percent_rank",
    "cume_dist",
    "ntile",
    "lag",
    "lead"
  )

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(WINDOW_EXPRESSION)) {
      case window @ OverCall(call: UnresolvedFunction, spec)
          if isPermissive && isNamed(call, withoutFrame) && mark(spec).isEmpty &&
            spec.frameSpecification != UnspecifiedFrame =>
        tagged(window, OverCall(call, spec.copy(frameSpecification = UnspecifiedFrame)))
      case window @ OverCall(call: UnresolvedFunction, spec)
          if isPermissive && spec.orderSpec.isEmpty && isNamed(call, ordered) =>
        val anyOrder = SortOrder(Literal(1), Ascending)
        tagged(window, OverCall(call, spec.copy(orderSpec = Seq(anyOrder))))
      case window @ OverCall(function, spec @ OfRows(lower, upper))
          if lower.dataType == LongType || upper.dataType == LongType =>
        val frame = FrameBetween(RowFrame, asInt(lower), asInt(upper))
        tagged(window, OverCall(function, spec.copy(frameSpecification = frame)))
      case window @ OverCall(function, spec) if isOfPeersAlone(spec) =>
        tagged(window, OverCall(function, spec.copy(frameSpecification = whole)))
      // GROUPS of it are as others are.
      case window @ OverCall(function, spec)
          if isEmptyFrame(spec) && !mark(spec).exists(_.arguments.head.toString == "groups") =>
        val exclude = mark(spec).fold[Expression](Literal(Framed.NoOthers))(_.arguments(1))
        val unmarked = if (mark(spec).isDefined) withoutMark(spec) else spec
        tagged(window, empty(function, unmarked, exclude))
      case window @ OverCall(function, spec) if mark(spec).isDefined =>
        tagged(window, marked(function, mark(spec).get, withoutMark(spec)))
      case window @ OverCall(call: UnresolvedFunction, spec) if isOfRow(call) =>
        tagged(window, ofRow(call, spec))
      case window @ OverCall(call: UnresolvedFunction, spec)
          if isNth(call) || (call.filter.isDefined && isNamed(call, shiftedOrNth)) =>
        tagged(window, filtered(call, spec))
    }

  private val ordered = withoutFrame + "nth_value"

  private def isPermissive: Boolean = SQLConf.get.getConf(MuntinConf.OverPermissive)

  /** A frame of ROWS whose ends are known. */
  private object OfRows {
    def unapply(spec: WindowSpecDefinition): Option[(Expression, Expression)] =
      spec.frameSpecification match {
        case FrameBetween(RowFrame, lower, upper) if lower.resolved && upper.resolved =>
          Some((lower, upper))
        case _ => None
      }
  }

  // No partition has more rows than that.
  private def asInt(bound: Expression): Expression = bound match {
    case Integer(rows) => Literal(within(rows).toInt)
    case other => other
  }

  private def within(rows: Long): Long =
    math.max(-Int.MaxValue.toLong, math.min(rows, Int.MaxValue.toLong))

  private val shiftedOrNth = Set("nth_value", "lag", "lead")

  private def isNth(call: UnresolvedFunction): Boolean = call.nameParts == Seq(StandardWords.Nth)

  private def tagged(window: Expression, changed: Expression): Expression = {
    changed.copyTagsFrom(window)
    changed
  }

  private def isNamed(call: UnresolvedFunction, names: Set[String]): Boolean =
    call.nameParts.size == 1 && names(call.nameParts.head.toLowerCase(Locale.ROOT))

  private def mark(spec: WindowSpecDefinition): Option[UnresolvedFunction] =
    spec.orderSpec.lastOption.map(_.child).collect {
      case call: UnresolvedFunction if call.nameParts == Seq(StandardWords.Mark) => call
    }

  private def withoutMark(spec: WindowSpecDefinition): WindowSpecDefinition =
    spec.copy(orderSpec = spec.orderSpec.init)

  private def marked(
      function: Expression,
      mark: UnresolvedFunction,
      spec: WindowSpecDefinition
  ): Expression = function match {
    // The frame is nothing to these, in the standard too.
    case call: UnresolvedFunction if isNamed(call, withoutFrame) && isOfRow(call) =>
      ofRow(call, spec.copy(frameSpecification = UnspecifiedFrame))
    case call: UnresolvedFunction if isNamed(call, withoutFrame) =>
      filtered(call, spec.copy(frameSpecification = UnspecifiedFrame))
    case _ =>
      val exclude = mark.arguments(1)
      val kind = mark.arguments.head.toString
      val groups = mark.arguments.drop(2) match {
        case Seq(lowerSide, lower, upperSide, upper) =>
          RowBounds(
            kind.toUpperCase(Locale.ROOT),
            BoundSide(lowerSide.toString),
            lower,
            BoundSide(upperSide.toString),
            upper
          )
        case _ => if (kind == "groups") Literal(groupsOf(spec).bounds) else Literal(null)
      }
      val over =
        if (groups == Literal(null)) spec else spec.copy(frameSpecification = UnspecifiedFrame)
      OverCall(framed(function, exclude, groups), over)
  }

  private def framed(
      function: Expression,
      exclude: Expression,
      groups: Expression
  ): Expression =
    function match {
      case call @ ResolveNames(Framed) =>
        val arguments = Framed.inOrder(call.arguments)
        val excluded = arguments(Framed.ExcludeAt)
        twice("EXCLUDE", excluded, exclude, Literal(Framed.NoOthers))
        twice("GROUPS", arguments(Framed.GroupsAt), groups, Literal(null))
        val both = if (exclude == Literal(Framed.NoOthers)) excluded else exclude
        val changed = arguments.updated(Framed.ExcludeAt, both).updated(Framed.GroupsAt, groups)
        FunctionCall(call.nameParts, changed)
      case _ =>
        val agg = function match {
          case call: UnresolvedFunction if isNthOfRow(call) => nthOfRow(call)
          case call: UnresolvedFunction if isNth(call) || isNamed(call, Set("nth_value")) =>
            nth(call)
          case other => other
        }
        framedBy(agg, exclude, groups)
    }

  private def framedBy(agg: Expression, exclude: Expression, groups: Expression): Expression = {
    val unchanged = Seq(Literal(Framed.Both), Literal(null))
    FunctionCall(
      Seq(Framed.qualifiedName),
      (agg +: unchanged) ++ Seq(exclude, Literal(false), groups, Literal(null))
    )
  }

  private def twice(
      what: String,
      said: Expression,
      again: Expression,
      nothing: Literal
  ): Unit = if (said != nothing && again != nothing) {
    throw invalid(what, s"framed says ${said.sql}, and the OVER clause ${again.sql}; leave one out")
  }

  private def groupsOf(spec: WindowSpecDefinition): GroupsFrame = {
    if (spec.orderSpec.isEmpty) {
      throw invalid(
        "GROUPS",
        "it counts groups of rows whose ORDER BY values are equal, and there is no ORDER BY"
      )
    }
    spec.frameSpecification match {
      case FrameBetween(_, lower, upper) =>
        GroupsFrame(
          if (lower == UnboundedPreceding) None else Some(count(lower)),
          if (upper == UnboundedFollowing) None else Some(count(upper))
        )
      case other => throw invalid("GROUPS", s"${other.sql}, which is no frame")
    }
  }

  private def count(bound: Expression): Long = bound match {
    case CurrentRow => 0L
    case Integer(groups) => within(groups)
    case other =>
      throw invalid("GROUPS", s"${other.sql}; expected is an integer number of groups")
  }

  private object Integer {
    def unapply(expression: Expression): Option[Long] =
      if (!expression.resolved || !expression.foldable) None
      else if (!expression.dataType.isInstanceOf[IntegralType]) None
      else Option(expression.eval()).map(_.asInstanceOf[Number].longValue)
  }

  /** nth_value, lag or lead with FILTER, of which only aggregates have one in Spark. */
  private def filtered(call: UnresolvedFunction, spec: WindowSpecDefinition): Expression =
    if (isNth(call)) OverCall(nth(call), spec)
    else if (call.filter.isEmpty) OverCall(call, spec)
    else if (isNamed(call, Set("nth_value"))) OverCall(nth(call), spec)
    else if (isNamed(call, Set("lag"))) shifted(call, spec, -1)
    else if (isNamed(call, Set("lead"))) shifted(call, spec, 1)
    else OverCall(call, spec)

  private def isNthOfRow(call: UnresolvedFunction): Boolean =
    (isNth(call) || isNamed(call, Set("nth_value"))) && isOfRow(call)

  /** Whether the number of rows, or of buckets, is an expression of the row. */
  private def isOfRow(call: UnresolvedFunction): Boolean = {
    val number =
      if (isNamed(call, Set("ntile"))) call.arguments.headOption
      else if (isNth(call) || isNamed(call, shiftedOrNth)) call.arguments.lift(1)
      else None
    number.exists(_.exists(_.isInstanceOf[Attribute]))
  }

  private def ofRow(call: UnresolvedFunction, spec: WindowSpecDefinition): Expression =
    if (isNamed(call, Set("ntile"))) ntileOfRow(call, spec)
    else if (isNamed(call, Set("lag"))) shiftedOfRow(call, spec, UnaryMinus(_))
    else if (isNamed(call, Set("lead"))) shiftedOfRow(call, spec, identity)
    else overFramed(nthOfRow(call), spec)

  /** The aggregate in `framed`, over the frame of the clause. */
  private[plans] def overFramed(agg: Expression, spec: WindowSpecDefinition): Expression =
    OverCall(framedBy(agg, Literal(Framed.NoOthers), Literal(null)), spec)

  private def nthOfRow(call: UnresolvedFunction): Expression = {
    val number = call.arguments(1) match {
      case minus: UnaryMinus if isNth(call) =>
        UnaryMinus(positive(minus.child, "nth_value", "n"))
      case other => positive(other, "nth_value", "n")
    }
    placed(call, call.arguments.head, number)
  }

  private def positive(number: Expression, function: String, parameter: String): Expression =
    PositiveOfRow(Cast(number, LongType), function, parameter)

  private def placed(
      call: UnresolvedFunction,
      value: Expression,
      number: Expression
  ): AggregateExpression =
    NthOfRow(value, number).toAggregateExpression(
      isDistinct = false,
      conditions(call).reduceOption(And(_, _))
    )

  /** lag and lead: the row that so many rows are away; the row itself where it is 0. */
  private def shiftedOfRow(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition,
      behind: Expression => Expression
  ): Expression = {
    val distance = behind(Cast(call.arguments(1), LongType))
    val value = CreateNamedStruct(Seq(Literal("value"), call.arguments.head))
    val whole = spec.copy(frameSpecification = UnspecifiedFrame)
    val found =
      if (conditions(call).isEmpty) {
        val near = Coalesce(Seq(distance, Literal(0L)))
        val at = RowBounds("ROWS", BoundSide.Shifted, near, BoundSide.Shifted, near)
        val one = FunctionCall(Seq(Nth.qualifiedName), Seq(value, Literal(1)))
        OverCall(framedBy(one, Literal(Framed.NoOthers), at), whole)
      } else {
        val none = Literal(null, LongType)
        val before = If(LessThan(distance, Literal(0L)), distance, none)
        val after = If(GreaterThan(distance, Literal(0L)), distance, none)
        def among(number: Expression, lower: Expression, upper: Expression) = overFramed(
          placed(call, value, number),
          spec.copy(frameSpecification = FrameBetween(RowFrame, lower, upper))
        )
        CaseWhen(
          Seq(
            LessThan(distance, Literal(0L)) -> among(before, UnboundedPreceding, Literal(-1)),
            GreaterThan(distance, Literal(0L)) -> among(after, Literal(1), UnboundedFollowing)
          ),
          Some(value)
        )
      }
    val default = call.arguments.lift(2).getOrElse(Literal(null))
    If(
      IsNull(distance),
      Literal(null),
      If(IsNull(found), default, UnresolvedExtractValue(found, Literal("value")))
    )
  }

  /** As many rows in each bucket, but for one more in the first ones. */
  private def ntileOfRow(call: UnresolvedFunction, spec: WindowSpecDefinition): Expression = {
    val before =
      Cast(
        Arithmetic.difference(OverCall(FunctionCall(Seq("row_number"), Nil), spec), Literal(1)),
        LongType
      )
    val rows = OverCall(
      FunctionCall(Seq("count"), Seq(Literal(1))),
      spec.copy(orderSpec = Nil, frameSpecification = UnspecifiedFrame)
    )
    val buckets = positive(call.arguments.head, "ntile", "buckets")
    Buckets(before, rows, buckets)
  }

  private val whole = FrameBetween(RowFrame, UnboundedPreceding, UnboundedFollowing)

  /** RANGE … CURRENT ROW without ORDER BY: all rows of the partition are peers. */
  private def isOfPeersAlone(spec: WindowSpecDefinition): Boolean =
    spec.orderSpec.isEmpty && (spec.frameSpecification match {
      case FrameBetween(RangeFrame, lower, upper) =>
        (lower == CurrentRow || lower == UnboundedPreceding) &&
        (upper == CurrentRow || upper == UnboundedFollowing)
      case _ => false
    })

  /** Whether the frame ends before it begins, and is to have no row. */
  private def isEmptyFrame(spec: WindowSpecDefinition): Boolean =
    isPermissive && (spec.frameSpecification match {
      case FrameBetween(_, lower, upper) =>
        (place(lower), place(upper)) match {
          case (Some(first), Some(last)) => first > last
          case _ => false
        }
      case _ => false
    })

  /** How far behind the row an end lies, as far as it is a number or microseconds. */
  private def place(bound: Expression): Option[Double] = bound match {
    case CurrentRow => Some(0.0)
    case _: SpecialFrameBoundary => None
    case offset if offset.resolved && offset.foldable =>
      Option(offset.eval()).collect {
        case number: Number => number.doubleValue
        case number: Decimal => number.toDouble
        case interval: CalendarInterval =>
          interval.months * 2.6e12 + interval.days * 8.64e10 + interval.microseconds
      }
    case _ => None
  }

  // In RANGE not every row's is: the frame of a null holds the other nulls.
  private def empty(
      function: Expression,
      spec: WindowSpecDefinition,
      exclude: Expression
  ): Expression = {
    val over = spec.copy(frameSpecification = UnspecifiedFrame)
    (function, spec.frameSpecification) match {
      case (call: UnresolvedFunction, _) if isNamed(call, withoutFrame) => OverCall(call, over)
      case (_, FrameBetween(kind, lower, upper)) =>
        def side(bound: Expression) =
          if (bound == CurrentRow) BoundSide.CurrentRow else BoundSide.Shifted
        def offset(bound: Expression) = if (bound == CurrentRow) Literal(null) else bound
        val bounds =
          RowBounds(kind.sql, side(lower), offset(lower), side(upper), offset(upper))
        OverCall(framed(function, exclude, bounds), over)
      case _ => OverCall(function, spec)
    }
  }

  private def nth(call: UnresolvedFunction): UnresolvedFunction = FunctionCall.filtered(
    call.copy(nameParts = Seq(Nth.qualifiedName)),
    conditions(call).reduceOption(And(_, _))
  )

  private def conditions(call: UnresolvedFunction): Seq[Expression] =
    call.filter.toSeq ++
      (if (FunctionCall.ignoresNulls(call)) call.arguments.headOption.map(IsNotNull(_)) else None)

  /** The row that is so many of the rows away for which the condition is true. */
  private def shifted(
      call: UnresolvedFunction,
      spec: WindowSpecDefinition,
      direction: Int
  ): Expression = {
    val distance = call.arguments.lift(1).getOrElse(Literal(1)) match {
      case Integer(rows) if rows != 0L && rows.abs <= Int.MaxValue => (direction * rows).toInt
      case other =>
        throw InvalidArgument(
          call.nameParts.head,
          "offset",
          s"${other.sql}, with FILTER; expected is an integer literal that is not 0"
        )
    }
    val frame =
      if (distance < 0) FrameBetween(RowFrame, UnboundedPreceding, Literal(-1))
      else FrameBetween(RowFrame, Literal(1), UnboundedFollowing)
    val value = CreateNamedStruct(Seq(Literal("value"), call.arguments.head))
    val row = FunctionCall.filtered(
      FunctionCall(Seq(Nth.qualifiedName), Seq(value, Literal(distance))),
      conditions(call).reduceOption(And(_, _))
    )
    val found = OverCall(row, spec.copy(frameSpecification = frame))
    val default = call.arguments.lift(2).getOrElse(Literal(null))
    If(IsNull(found), default, UnresolvedExtractValue(found, Literal("value")))
  }

  private def invalid(parameter: String, value: String) = InvalidArgument("OVER", parameter, value)
}
