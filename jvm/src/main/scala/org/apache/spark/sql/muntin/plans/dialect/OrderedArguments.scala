package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.muntin.expressions.common.{Arguments, InOrder, KeyOrder}
import org.apache.spark.sql.muntin.expressions.internal.{CountedRows, PlaceInOrder, ShiftedInOrder}
import org.apache.spark.sql.muntin.spark.{Arithmetic, FunctionCall, OverCall}
import org.apache.spark.sql.types.{DoubleType, IntegerType, IntegralType, LongType}

/**
 * Before analysis, rewrites aggregates with an ORDER BY among their arguments. Spark supports few
 * of them. StandardWords parses this ORDER BY as WITHIN GROUP.
 *
 *     array_agg(x ORDER BY y)       the values of x, in the order of y
 *     first_value(x ORDER BY y)     the first of them
 *     min_by(x, y ORDER BY z)       of the values of x with the least y, the first by z
 *     sum(x ORDER BY y)             sum(x), whose result does not depend on order
 */
object OrderedArguments extends Rule[LogicalPlan] {
  private val lists = Set("array_agg", "collect_list")
  private val places =
    Map("first_value" -> 1, "first" -> 1, "any_value" -> 1, "last_value" -> -1, "last" -> -1)

  private val extremes = Map("min_by" -> Ascending, "max_by" -> Descending)

  private val unordered = Set(
    "sum",
    "avg",
    "mean",
    "count",
    "count_if",
    "min",
    "max",
    "bool_and",
    "bool_or",
    "every",
    "some",
    "any",
    "bit_and",
    "bit_or",
    "bit_xor",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "variance",
    "var_pop",
    "var_samp",
    "skewness",
    "kurtosis",
    "corr",
    "covar_pop",
    "covar_samp",
    "median",
    "approx_count_distinct"
  )

  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case window @ OverCall(call: UnresolvedFunction, spec)
          if FunctionCall.order(call).nonEmpty && WindowCalls.isRank(call) =>
        val changed = rank(call, FramedCalls.over(_, spec))
        changed.copyTagsFrom(window)
        changed
      case call: UnresolvedFunction if FunctionCall.order(call).nonEmpty => ordered(call)
    }

  /** Returns the rank among the frame's rows, in the order of the arguments. */
  private def rank(call: UnresolvedFunction, over: Expression => Expression): Expression = {
    val order = FunctionCall.order(call)
    val keys = order.map(_.child)
    val orders = order.map(o => KeyOrder(o.direction, o.nullOrdering))
    def count(rows: CountedRows): Expression =
      over(PlaceInOrder(rows, keys, orders).toAggregateExpression(isDistinct = false, call.filter))
    def number(rows: CountedRows): Expression = Cast(Add(count(rows), Literal(1L)), IntegerType)
    def double(rows: CountedRows): Expression = Cast(count(rows), DoubleType)
    // A row outside its frame gets the rank that it would have inside the frame.
    def lacking: Expression = Arithmetic.difference(Literal(1L), count(CountedRows.Itself))
    def withRow: Expression = Add(count(CountedRows.All), lacking)
    WindowCalls.nameOf(call) match {
      case "row_number" => number(CountedRows.Before)
      case "rank" => number(CountedRows.Below)
      case "dense_rank" => number(CountedRows.KeysBelow)
      case "percent_rank" =>
        val others = Arithmetic.difference(count(CountedRows.All), count(CountedRows.Itself))
        If(
          GreaterThan(others, Literal(0L)),
          Divide(double(CountedRows.Below), Cast(others, DoubleType)),
          Literal(0.0)
        )
      case "cume_dist" =>
        val upTo = Add(count(CountedRows.UpTo), lacking)
        Divide(Cast(upTo, DoubleType), Cast(withRow, DoubleType))
      case "ntile" =>
        val buckets = NthCalls.positive(call.arguments.head, "ntile", "buckets")
        If(
          EqualTo(count(CountedRows.All), Literal(0L)),
          Literal(null, IntegerType),
          Buckets(count(CountedRows.Before), withRow, buckets)
        )
      case shifted =>
        val distance = Cast(call.arguments.lift(1).getOrElse(Literal(1)), LongType)
        val away = if (shifted == "lag") UnaryMinus(distance) else distance
        val found = ShiftedInOrder(WindowCalls.shiftedValue(call), away, keys, orders)
          .toAggregateExpression(isDistinct = false, WindowCalls.condition(call))
        WindowCalls.orDefault(call, over(found))
    }
  }

  private def ordered(call: UnresolvedFunction): Expression = {
    val name = WindowCalls.nameOf(call)
    if (!FunctionCall.isSparks(name)) call
    else if (unordered(name)) FunctionCall.withOrder(call, Nil)
    else if (lists(name) && call.arguments.size == 1) {
      val keepsNulls = FunctionCall.hasNullTreatment(call) && !FunctionCall.ignoresNulls(call)
      inOrder(name, call, None, !keepsNulls)
    } else if (places.contains(name) && call.arguments.size == 1) {
      inOrder(name, call, places.get(name), FunctionCall.ignoresNulls(call))
    } else if (extremes.contains(name) && call.arguments.size == 2) {
      extreme(name, call, extremes(name))
    } else if (name == "mode" && call.arguments.size == 1) mode(call)
    else if (name == "nth_value" && call.arguments.size == 2) {
      inOrder(name, call, Some(number(call.arguments(1))), FunctionCall.ignoresNulls(call))
    } else call
  }

  private def extreme(name: String, call: UnresolvedFunction, by: SortDirection): Expression = {
    val of = call.arguments(1)
    val order = SortOrder(of, by) +: FunctionCall.order(call)
    val present = (call.filter.toSeq :+ IsNotNull(of)).reduceOption(And(_, _))
    inOrder(
      name,
      FunctionCall.filtered(FunctionCall.withOrder(call, order), present),
      Some(1),
      false
    )
  }

  /** Returns the mode; among equally frequent values, the least or the greatest, as Spark does. */
  private def mode(call: UnresolvedFunction): Expression = {
    val order = FunctionCall.order(call)
    if (order.map(_.child) != call.arguments) {
      throw new Arguments("mode").error(
        "MUNTIN_MODE_IN_OTHER_ORDER",
        "order" -> order.map(_.sql).mkString(", "),
        "argument" -> call.arguments.head.sql
      )
    }
    call.copy(arguments = Nil)
  }

  private def inOrder(
      name: String,
      call: UnresolvedFunction,
      place: Option[Int],
      ignoresNulls: Boolean
  ): Expression = {
    val order = FunctionCall.order(call)
    val input = call.arguments.head
    if (call.isDistinct && !order.forall(_.child == input)) {
      throw new Arguments(name).error(
        "MUNTIN_DISTINCT_IN_OTHER_ORDER",
        "order" -> order.map(_.sql).mkString(", "),
        "argument" -> input.sql
      )
    }
    val keys = order.map { case SortOrder(_, direction, nulls, _) => KeyOrder(direction, nulls) }
    InOrder(name, input, order.map(_.child), keys, place, ignoresNulls)
      .toAggregateExpression(call.isDistinct, call.filter)
  }

  private def number(n: Expression): Int = n match {
    case literal: Literal if literal.dataType.isInstanceOf[IntegralType] && literal.value != null =>
      literal.value.asInstanceOf[Number].intValue
    case other =>
      throw new Arguments("nth_value").invalidValue(
        "n",
        other,
        "a positive integer literal, because the call has an ORDER BY clause"
      )
  }
}
