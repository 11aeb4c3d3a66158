package org.apache.spark.sql.muntin.plans

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedExtractValue, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW_EXPRESSION
import org.apache.spark.sql.muntin.expressions.{Framed, GroupsFrame, InvalidArgument, Nth}
import org.apache.spark.sql.muntin.parsing.StandardWords
import org.apache.spark.sql.muntin.spark.{FrameBetween, FunctionCall, OverCall}
import org.apache.spark.sql.types.IntegralType

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
      case window @ OverCall(function, spec) if mark(spec).isDefined =>
        tagged(window, marked(function, mark(spec).get, withoutMark(spec)))
      case window @ OverCall(call: UnresolvedFunction, spec)
          if isNth(call) || (call.filter.isDefined && isNamed(call, shiftedOrNth)) =>
        tagged(window, filtered(call, spec))
    }

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
    case call: UnresolvedFunction if isNamed(call, withoutFrame) =>
      filtered(call, spec.copy(frameSpecification = UnspecifiedFrame))
    case _ =>
      val exclude = mark.arguments.last
      val isGroups = mark.arguments.head.toString == "groups"
      val groups = if (isGroups) Literal(groupsOf(spec).bounds) else Literal(null)
      val over = if (isGroups) spec.copy(frameSpecification = UnspecifiedFrame) else spec
      OverCall(framed(function, exclude, groups), over)
  }

  private def framed(function: Expression, exclude: Expression, groups: Literal): Expression =
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
          case call: UnresolvedFunction if isNth(call) || isNamed(call, Set("nth_value")) =>
            nth(call)
          case other => other
        }
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
    case Integer(groups) if groups.abs <= Int.MaxValue => groups
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
