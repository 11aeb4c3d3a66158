package org.apache.spark.sql.muntin.plans

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.muntin.expressions.GroupAggregate

/** A node of windows with aggregates over their rows: `results` are the columns of `functions`. */
trait AggregateWindows extends LogicalPlan {
  def functions: Seq[GroupAggregate]

  def results: Seq[Attribute]

  /** The node with these of its functions. */
  def only(functions: Seq[GroupAggregate], results: Seq[Attribute]): LogicalPlan

  /** The columns by which a filter spares whole windows. */
  def filtered: AttributeSet

  /** The windows of the rows for which a condition on `filtered` is true. */
  def where(condition: Expression): LogicalPlan
}

/** The aggregates that a query asks of the windows of `name`, each once. */
private[plans] final class AskedAggregates(name: String) {
  private val asked = mutable.LinkedHashMap.empty[Expression, (GroupAggregate, Attribute)]

  /** The column of its results. */
  def apply(aggregate: AggregateExpression): Attribute = {
    def placed = GroupAggregate.placed(name, aggregate)
    asked.getOrElseUpdate(aggregate.canonicalized, (placed, placed.result))._2
  }

  def functions: Seq[GroupAggregate] = asked.values.map(_._1).toSeq

  def results: Seq[Attribute] = asked.values.map(_._2).toSeq
}
