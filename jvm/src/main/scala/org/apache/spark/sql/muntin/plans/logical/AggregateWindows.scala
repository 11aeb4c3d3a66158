package org.apache.spark.sql.muntin.plans.logical

import scala.collection.mutable

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.execution.python.PythonCall
import org.apache.spark.sql.muntin.expressions.common.{Arguments, GroupAggregate}
import org.apache.spark.sql.muntin.spark.{AggregateCall, PythonAggregate}

/** A node of windows with aggregates over their rows: `results` are the columns of `functions`. */
trait AggregateWindows extends SupportsFilterPushdown {
  def functions: Seq[GroupAggregate]

  def results: Seq[Attribute]

  /** Returns the node with only these functions. */
  def only(functions: Seq[GroupAggregate], results: Seq[Attribute]): LogicalPlan
}

/** Collects the aggregates that a query computes over the windows of `name`, each once. */
private[plans] final class AggregateCollector(name: String) {
  private val collected = mutable.LinkedHashMap.empty[Expression, (GroupAggregate, Attribute)]
  private val python = mutable.LinkedHashMap.empty[Expression, (PythonCall, Attribute)]

  /** Returns the column of the aggregate's results. */
  def apply(aggregate: AggregateExpression): Attribute = aggregate match {
    case AggregateCall(PythonAggregate(function), isDistinct, filter) =>
      if (isDistinct) throw refused("MUNTIN_PYTHON_AGGREGATE_DISTINCT", aggregate)
      if (function.hasFrames) throw refused("MUNTIN_PYTHON_AGGREGATE_OF_FRAMES", aggregate)
      python.getOrElseUpdate(
        aggregate.canonicalized, {
          val rows = AggregateCall(PythonCall.rowsOf(function), isDistinct = false, filter)
          val result = AttributeReference(aggregate.sql, function.dataType)()
          (PythonCall.ofLists(function, apply(rows)), result)
        }
      )._2
    case _ =>
      def placed = GroupAggregate.placed(name, aggregate)
      collected.getOrElseUpdate(aggregate.canonicalized, (placed, placed.result))._2
  }

  private def refused(condition: String, aggregate: Expression): AnalysisException =
    new Arguments(name).error(condition, "aggregate" -> aggregate.sql)

  def functions: Seq[GroupAggregate] = collected.values.map(_._1).toSeq

  def results: Seq[Attribute] = collected.values.map(_._2).toSeq

  /** Adds the results of Python's aggregates to the windows. */
  def inPython(windows: LogicalPlan): LogicalPlan =
    if (python.isEmpty) windows
    else PythonWindows(python.values.map(_._1).toVector, python.values.map(_._2).toVector, windows)
}
