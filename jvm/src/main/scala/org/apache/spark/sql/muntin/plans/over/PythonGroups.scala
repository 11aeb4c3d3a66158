package org.apache.spark.sql.muntin.plans.over

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeReference,
  Expression,
  NamedExpression
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE
import org.apache.spark.sql.muntin.execution.python.PythonCall
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.PythonWindows
import org.apache.spark.sql.muntin.spark.{AggregateCall, CalledAggregate, GroupBy, PythonAggregate}

/**
 * Runs GROUP BY with Muntin's Python aggregates if Spark's own operator does not fit. Spark rejects
 * them next to its own aggregates. It also passes pandas columns to Python, in which an integer
 * next to a null is a double. Here Python gets each group's rows as a list.
 */
object PythonGroups extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(t =>
      t.containsPattern(AGGREGATE) && !t.containsPattern(GroupWindow.Pattern)
    ) {
      case aggregate @ GroupBy(grouping, outputs, child)
          if aggregate.resolved && !child.isStreaming && takes(outputs) =>
        GroupBy.check(aggregate)
        listed(grouping, outputs, child)
    }

  private def takes(outputs: Seq[NamedExpression]): Boolean = {
    val calls = outputs.flatMap(_.collect { case a: AggregateExpression => a })
    val python = calls.collect { case AggregateCall(PythonAggregate(p), false, _) => p }
    python.nonEmpty && python.forall(_.isMuntins) &&
    (python.exists(_.isPandas) || calls.exists {
      case CalledAggregate(PythonAggregate(_)) => false
      case _ => true
    })
  }

  private def listed(
      grouping: Seq[Expression],
      outputs: Seq[NamedExpression],
      child: LogicalPlan
  ): LogicalPlan = {
    val keys: Seq[NamedExpression] = grouping.map {
      case a: Attribute => a
      case e => Alias(e, "key")()
    }
    val aggregates = mutable.LinkedHashMap.empty[Expression, Alias]
    val python = mutable.LinkedHashMap.empty[Expression, (PythonCall, Attribute)]
    def column(aggregate: AggregateExpression): Attribute =
      aggregates.getOrElseUpdate(
        aggregate.canonicalized,
        Alias(aggregate, "aggregate")()
      ).toAttribute
    def result(expression: Expression): Expression = expression match {
      case call @ AggregateCall(PythonAggregate(function), _, filter) =>
        python.getOrElseUpdate(
          call.canonicalized, {
            val rows = AggregateCall(PythonCall.rowsOf(function), isDistinct = false, filter)
            val made = AttributeReference(call.sql, function.dataType)()
            (PythonCall.ofLists(function, column(rows)), made)
          }
        )._2
      case aggregate: AggregateExpression => column(aggregate)
      case e =>
        grouping.indexWhere(_.semanticEquals(e)) match {
          case -1 => e.mapChildren(result)
          case i => keys(i).toAttribute
        }
    }
    val made = outputs.map {
      case a: Attribute =>
        result(a) match {
          case same: Attribute if same.exprId == a.exprId => same
          case other => Alias(other, a.name)(exprId = a.exprId, qualifier = a.qualifier)
        }
      case other => result(other).asInstanceOf[NamedExpression]
    }
    val (calls, results) = python.values.toVector.unzip
    val aggregated = GroupBy(grouping, keys ++ aggregates.values, child)
    Project(made, PythonWindows(calls, results, aggregated))
  }
}
