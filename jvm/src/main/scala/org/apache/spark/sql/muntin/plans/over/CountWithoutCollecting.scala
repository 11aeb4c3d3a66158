package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.common.OverAggregate
import org.apache.spark.sql.muntin.spark.{
  CollectListCall,
  CollectSetCall,
  DistinctEquality,
  OverCall
}
import org.apache.spark.sql.types.IntegerType

/**
 * Computes `size(collect_set(x) OVER w)` without the sets: the values are counted and not
 * collected. Queries often count distinct values in a frame in this way, because Spark rejects
 * count(DISTINCT x) there. Also supports collect_list.
 */
object CountWithoutCollecting extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.transformWithPruning(_.containsPattern(WINDOW)) {
        case project @ Project(list, window: Window) =>
          counted(list, None, window).getOrElse(project)
        case project @ Project(list, Filter(condition, window: Window)) =>
          counted(list, Some(condition), window).getOrElse(project)
      }
    }

  /** Extracts the count that equals the size of a window function's collected values. */
  private object CollectedSize {
    def unapply(expression: Expression): Option[WindowExpression] = expression match {
      case w @ OverCall(a: AggregateExpression, _) if !a.isDistinct =>
        (a.aggregateFunction match {
          case CollectSetCall(child, true)
              if RowOrdering.isOrderable(child.dataType) &&
                DistinctEquality.areDistinct(child.dataType) =>
            Some(OverAggregate(Count(child), isDistinct = true))
          case CollectListCall(child, true) => Some(Count(child))
          case _ => None
        }).map(count => w.copy(windowFunction = a.copy(aggregateFunction = count)))
      case _ => None
    }
  }

  private def counted(
      list: Seq[NamedExpression],
      condition: Option[Expression],
      window: Window
  ): Option[LogicalPlan] = {
    val counts = window.windowExpressions.collect {
      case a @ Alias(CollectedSize(count), _) if isOnlySized(a, list ++ condition) =>
        a.exprId -> Alias(count, "size")()
    }.toMap
    if (counts.isEmpty) None else Some(countedInstead(list, condition, window, counts))
  }

  private def countedInstead(
      list: Seq[NamedExpression],
      condition: Option[Expression],
      window: Window,
      counts: Map[ExprId, Alias]
  ): LogicalPlan = {
    val sizes: PartialFunction[Expression, Expression] = {
      case Size(a: Attribute, _) if counts.contains(a.exprId) =>
        Cast(counts(a.exprId).toAttribute, IntegerType)
    }
    val expressions = window.windowExpressions.map(e => counts.getOrElse(e.exprId, e))
    val countWindow = window.copy(windowExpressions = expressions)
    Project(
      list.map(_.transform(sizes).asInstanceOf[NamedExpression]),
      condition.fold[LogicalPlan](countWindow)(c => Filter(c.transform(sizes), countWindow))
    )
  }

  // Returns true if the collected values are read, and only as the argument of size().
  private def isOnlySized(collected: Alias, users: Seq[Expression]): Boolean = {
    def mentions(e: Expression): Boolean = e match {
      case Size(a: Attribute, _) if a.exprId == collected.exprId => false
      case a: Attribute => a.exprId == collected.exprId
      case other => other.children.exists(mentions)
    }
    users.exists(_.references.contains(collected.toAttribute)) && !users.exists(mentions)
  }
}
