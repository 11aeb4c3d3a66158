package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.expressions.Framed
import org.apache.spark.sql.muntin.expressions.common.FrameText
import org.apache.spark.sql.muntin.spark.{
  CalledAggregate,
  FrameBetween,
  MuntinAnalysisException,
  OverCall
}

/**
 * Functions with an arrival need their rows in the order of the window, and then in the order of
 * arrival. They get their own Window node with this order, below the node of the other functions:
 * one sort serves both. Only the node's order is longer; peers are still the peers of the OVER
 * clause.
 */
object PlaceFramed extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    plan.resolveOperatorsUpWithPruning(_.containsPattern(WINDOW)) {
      case window: Window if window.resolved =>
        window.windowExpressions.foreach(check(window, _))
        placed(window)
    }

  private def placed(window: Window): LogicalPlan =
    window.windowExpressions.flatMap(arrivals(_)).find(!isOrderedBy(window, _)) match {
      case None => window
      case Some(arrival) =>
        val (ours, others) = window.windowExpressions.partition { e =>
          arrivals(e).exists(_.semanticEquals(arrival))
        }
        val standardWindow = window.copy(
          windowExpressions = ours,
          orderSpec = window.orderSpec :+ SortOrder(arrival, Ascending)
        )
        if (others.isEmpty) standardWindow
        else placed(window.copy(windowExpressions = others, child = standardWindow))
    }

  private def isOrderedBy(window: Window, arrival: Expression): Boolean =
    window.orderSpec.exists(_.child.semanticEquals(arrival))

  private def arrivals(output: NamedExpression): Seq[Expression] =
    framed(output).flatMap(_._1.arrival)

  private def framed(output: Expression): Seq[(Framed, WindowSpecDefinition)] = output.collect {
    case OverCall(CalledAggregate(f: Framed), spec) => f -> spec
  }

  /** Returns the OVER clause before the analyzer computed its order below the window. */
  private def inQueryTerms(window: Window, spec: WindowSpecDefinition): WindowSpecDefinition = {
    val computed = AttributeMap(window.child.collect { case Project(list, _) =>
      list.collect { case alias: Alias => alias.toAttribute -> alias.child }
    }.flatten)
    spec.copy(orderSpec =
      spec.orderSpec.map(order =>
        order.copy(child = order.child match {
          case a: Attribute => computed.getOrElse(a, a)
          case other => other
        })
      )
    )
  }

  private def check(window: Window, output: NamedExpression): Unit =
    framed(output).foreach { case (framed, spec) =>
      if (spec.orderSpec.isEmpty) {
        framed.arrival.foreach(_ => throw withoutOrder("arrival"))
        framed.groups.foreach(_ => throw withoutOrder("groups"))
      }
      framed.bounds.foreach { bounds =>
        bounds.check(inQueryTerms(window, spec).orderSpec)
        if (framed.complete) throw neverComplete(bounds.sql)
      }
      (framed.groups, spec.frameSpecification) match {
        case _ if framed.bounds.isDefined =>
        case (Some(groups), _) if framed.complete => throw neverComplete(groups.sql)
        case (Some(_), _) | (_, FrameBetween(RowFrame, _, _)) =>
        case _ if framed.complete => throw neverComplete(FrameText(inQueryTerms(window, spec)))
        case _ =>
      }
    }

  private def withoutOrder(clause: String): MuntinAnalysisException =
    new MuntinAnalysisException("MUNTIN_FRAME_REQUIRES_ORDER_BY", "clause" -> clause)

  private def neverComplete(frame: String): MuntinAnalysisException =
    new MuntinAnalysisException("MUNTIN_COMPLETE_REQUIRES_ROWS_FRAME", "frame" -> frame)
}
