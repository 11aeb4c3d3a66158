package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.EVENT_TIME_WATERMARK
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.muntin.expressions.Bound
import org.apache.spark.sql.muntin.expressions.common.GroupWindow
import org.apache.spark.sql.muntin.plans.logical.Bounds
import org.apache.spark.sql.muntin.spark.{GroupBy, MuntinAnalysisException}

/**
 * When the query is resolved, replaces WHERE NOT bound(…) by a plain filter, or, over a stream, by
 * a Bounds node. A watermark above Bounds moves below them.
 */
object PlaceBounds extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.containsAnyPattern(GroupWindow.Pattern, EVENT_TIME_WATERMARK)) plan
    else
      plan.resolveOperatorsUp {
        case filter: Filter if filter.resolved && filter.condition.exists(_.isInstanceOf[Bound]) =>
          placed(filter)
        case marked: EventTimeWatermark if marked.resolved && marked.isStreaming =>
          overBounds(marked)
      }

  private def placed(filter: Filter): LogicalPlan = {
    val conditions = splitConjunctivePredicates(filter.condition)
    val others = conditions.filter(boundIn(_).isEmpty)
    // A null condition is not satisfied.
    val bounds = conditions.flatMap(boundIn).map(EqualNullSafe(_, Literal.TrueLiteral))
    bounds.reduceOption[Expression](Or(_, _)) match {
      case Some(isBound) if filter.child.isStreaming =>
        bounds.map(_.left).find(SubqueryExpression.hasSubquery).foreach { condition =>
          throw new MuntinAnalysisException(
            "MUNTIN_SUBQUERY_IN_BOUND",
            "condition" -> toPrettySQL(condition)
          )
        }
        val placed = Bounds(isBound, filter.child)
        others.reduceOption(And(_, _)).fold[LogicalPlan](placed)(Filter(_, placed))
      case Some(isBound) => Filter((Not(isBound) +: others).reduce(And(_, _)), filter.child)
      case None => filter
    }
  }

  private def boundIn(condition: Expression): Option[Expression] = condition match {
    case Not(Bound(isBound)) => Some(isBound)
    case _ => None
  }

  private def overBounds(marked: EventTimeWatermark): LogicalPlan = {
    hidden(marked.child).foreach { node =>
      throw new MuntinAnalysisException(
        "MUNTIN_WATERMARK_AFTER_BOUND",
        "eventTime" -> marked.eventTime.name,
        "operator" -> node.nodeName
      )
    }
    MarkedBounds.of(marked.child, AttributeSet(marked.eventTime)).fold[LogicalPlan](marked) {
      found =>
        val rows = marked.withNewChildren(Seq(found.rows))
        Project(rows.output.init, Bounds(found.isBound, rows))
    }
  }

  /** Returns the node that stops the bounds below it. */
  private def hidden(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case _: EventTimeWatermark | GroupBy(_, _, _) => None
    case windows if StreamStateStore.isWindows(windows) => None
    case other if MarkedBounds.passes(other) => other.children.flatMap(hidden).headOption
    case other => Option.when(hasBounds(other))(other)
  }

  private def hasBounds(plan: LogicalPlan): Boolean = plan match {
    case _: Bounds => true
    case _: EventTimeWatermark | GroupBy(_, _, _) => false
    case windows if StreamStateStore.isWindows(windows) => false
    case other => other.children.exists(hasBounds)
  }
}

/** Rejects a call of `bound` that is not in WHERE NOT. */
object CheckBounds extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit =
    if (plan.containsPattern(GroupWindow.Pattern)) {
      (plan +: plan.subqueriesAll).foreach(_.foreach { node =>
        node.expressions.foreach { e =>
          e.foreach {
            case bound: Bound => throw Bound.misplaced(bound, e.sql)
            case _ =>
          }
        }
      })
    }
}
