package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.JOIN
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.execution.asof.{AsOfReach, AsOfSide}
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.muntin.expressions.common.{GroupWindow, InvalidArgument}
import org.apache.spark.sql.muntin.plans.logical.{AsOfRows, KeyEquality}
import org.apache.spark.sql.muntin.spark.{Arithmetic, JoinOn}
import org.apache.spark.sql.types.DataType

/**
 * Replaces a join with asof(…) in its condition by an AsOfRows node. A join at the root of a query
 * is replaced when the query runs, because DataFrame.join requires the analyzer to return a Join.
 */
object PlaceAsOfJoins extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!hasAsOfJoins(plan)) plan
    else AnalysisHelper.allowInvokingTransformsInAnalyzer(plan.mapChildren(_.transformUp(joins)))

  private def hasAsOfJoins(plan: LogicalPlan): Boolean =
    plan.containsAllPatterns(JOIN, GroupWindow.Pattern)

  /** Replaces the join at the root of a query. */
  object AtRoot extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan =
      if (hasAsOfJoins(plan)) joins.applyOrElse(plan, identity[LogicalPlan]) else plan
  }

  private val joins: PartialFunction[LogicalPlan, LogicalPlan] = {
    case join @ JoinOn(left, right, joinType, Some(condition))
        if join.resolved && hasAsOf(condition) =>
      placed(left, right, joinType, condition)
  }

  private def placed(
      left: LogicalPlan,
      right: LogicalPlan,
      joinType: JoinType,
      condition: Expression
  ): LogicalPlan = {
    val (calls, others) = splitConjunctivePredicates(condition).partition(_.isInstanceOf[AsOf])
    others.foreach { other =>
      other.foreach {
        case inside: AsOf => throw AsOf.misplaced(inside, toPrettySQL(other))
        case _ =>
      }
    }
    val call = calls.head.asInstanceOf[AsOf]
    if (calls.size > 1) throw AsOf.misplaced(call, "a join with another asof")
    checkSide("left_time", call.leftTime, left, right)
    checkSide("right_time", call.rightTime, right, left)
    val (ofLeft, notOfLeft) = others.partition(_.references.subsetOf(left.outputSet))
    val (ofRight, ofBoth) = notOfLeft.partition(_.references.subsetOf(right.outputSet))
    joinType match {
      case Inner | LeftOuter | LeftSemi | LeftAnti =>
      case other =>
        throw AsOf.misplaced(
          call,
          s"a ${other.sql} JOIN, while asof finds rows of the right side for those of the left"
        )
    }
    val (leftKeys, rightKeys) = ofBoth.flatMap(equality(_, left, right)).unzip
    val time = commonType(call)
    def cast(value: Expression): Expression =
      if (value.resolved && value.dataType == time) value
      else Cast(value, time, Some(conf.sessionLocalTimeZone))
    val rows = AsOfRows(
      left,
      ofRight.reduceOption(And(_, _)).fold(right)(Filter(_, right)),
      joinType,
      AsOfSide(leftKeys, cast(call.leftTime)),
      AsOfSide(rightKeys, cast(call.rightTime)),
      AsOfReach(
        call.direction,
        call.strict,
        call.tolerance.map(tolerance => cast(Arithmetic.difference(call.leftTime, tolerance))),
        call.tolerance.map(tolerance => cast(Add(call.leftTime, tolerance)))
      ),
      ofLeft
    )
    if (call.tolerance.isEmpty && rows.isStreaming) {
      throw invalid(
        "tolerance",
        "missing, over a stream: rows would have to be kept for ever, since any may be the " +
          "nearest of a later row; expected is how far a row may be from left_time, such as " +
          "'10 minutes'"
      )
    }
    rows
  }

  private def commonType(call: AsOf): DataType = {
    val (left, right) = (call.leftTime.dataType, call.rightTime.dataType)
    AnsiTypeCoercion.findWiderTypeForTwo(left, right).filter(AsOf.isTime).getOrElse {
      throw invalid(
        "left_time, right_time",
        s"${toPrettySQL(call.leftTime)} and ${toPrettySQL(call.rightTime)} of the types " +
          s"${left.sql} and ${right.sql}; expected are two numbers, or two of DATE, TIMESTAMP " +
          "and TIMESTAMP_NTZ"
      )
    }
  }

  private def hasAsOf(condition: Expression): Boolean = condition.exists(_.isInstanceOf[AsOf])

  private def checkSide(
      parameter: String,
      time: Expression,
      side: LogicalPlan,
      other: LogicalPlan
  ): Unit = if (!time.references.subsetOf(side.outputSet)) {
    val why =
      if (time.references.subsetOf(other.outputSet)) "the other side of the join"
      else "both sides of the join"
    val expected = if (parameter == "left_time") "left" else "right"
    throw invalid(
      parameter,
      s"${toPrettySQL(time)}, of $why; expected is a column of the $expected side"
    )
  }

  private def equality(
      condition: Expression,
      left: LogicalPlan,
      right: LogicalPlan
  ): KeyEquality.Pairs = {
    def isOf(side: LogicalPlan)(e: Expression) = e.references.subsetOf(side.outputSet)
    KeyEquality.between(condition, isOf(left), isOf(right)).getOrElse {
      throw invalid(
        "ON",
        s"${toPrettySQL(condition)}, a condition on both sides; only equalities, such as " +
          "trades.symbol = quotes.symbol or trades.symbol <=> quotes.symbol, and conditions on " +
          "one side may be combined with asof. Filter on the matched row in WHERE"
      )
    }
  }

  private def invalid(parameter: String, value: String): AnalysisException =
    InvalidArgument(AsOf.name, parameter, value)
}

/** Rejects an asof(…) that PlaceAsOfJoins has left: it is in a place that is not supported. */
object CheckAsOf extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(GroupWindow.Pattern)) {
      PlaceAsOfJoins.AtRoot(plan).foreach { node =>
        node.expressions.foreach(_.foreach {
          case call: AsOf => throw AsOf.misplaced(call, node.nodeName)
          case _ =>
        })
      }
    }
}
