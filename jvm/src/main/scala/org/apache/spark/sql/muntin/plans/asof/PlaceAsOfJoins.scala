package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.catalyst.analysis.AnsiTypeCoercion
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.JOIN
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.execution.asof.{AsOfReach, AsOfSide}
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupWindow}
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
    if (calls.size > 1) {
      throw read.error("MUNTIN_SEVERAL_AS_OF_CONDITIONS", "conditions" -> shown(calls))
    }
    checkSide("left_time", call.leftTime, left, "the left side of the join")
    checkSide("right_time", call.rightTime, right, "the right side of the join")
    val (ofLeft, notOfLeft) = others.partition(_.references.subsetOf(left.outputSet))
    val (ofRight, ofBoth) = notOfLeft.partition(_.references.subsetOf(right.outputSet))
    joinType match {
      case Inner | LeftOuter | LeftSemi | LeftAnti =>
      case other =>
        throw read.error("MUNTIN_UNSUPPORTED_AS_OF_JOIN_TYPE", "joinType" -> other.sql)
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
      throw read.error("MUNTIN_MISSING_TOLERANCE")
    }
    rows
  }

  private def commonType(call: AsOf): DataType = {
    val (left, right) = (call.leftTime.dataType, call.rightTime.dataType)
    AnsiTypeCoercion.findWiderTypeForTwo(left, right).filter(AsOf.isTime).getOrElse {
      throw read.error(
        "MUNTIN_INCOMPATIBLE_AS_OF_TIMES",
        "left" -> toPrettySQL(call.leftTime),
        "leftType" -> left.sql,
        "right" -> toPrettySQL(call.rightTime),
        "rightType" -> right.sql
      )
    }
  }

  private def hasAsOf(condition: Expression): Boolean = condition.exists(_.isInstanceOf[AsOf])

  private def checkSide(
      parameter: String,
      time: Expression,
      side: LogicalPlan,
      name: String
  ): Unit = if (!time.references.subsetOf(side.outputSet)) {
    throw read.error(
      "MUNTIN_ARGUMENT_OF_OTHER_TABLE",
      "parameter" -> parameter,
      "argument" -> toPrettySQL(time),
      "table" -> name
    )
  }

  private def equality(
      condition: Expression,
      left: LogicalPlan,
      right: LogicalPlan
  ): KeyEquality.Pairs = {
    def isOf(side: LogicalPlan)(e: Expression) = e.references.subsetOf(side.outputSet)
    KeyEquality.between(condition, isOf(left), isOf(right)).getOrElse {
      throw read.error(
        "MUNTIN_AS_OF_CONDITION_ON_BOTH_SIDES",
        "condition" -> toPrettySQL(condition)
      )
    }
  }

  private def read: Arguments = new Arguments(AsOf.name)

  private def shown(calls: Seq[Expression]): String = calls.map(toPrettySQL(_)).mkString(" AND ")
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
