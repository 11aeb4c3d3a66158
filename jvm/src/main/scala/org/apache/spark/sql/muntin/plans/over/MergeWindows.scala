package org.apache.spark.sql.muntin.plans.over

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Window}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.WINDOW
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.over.OverPlan
import org.apache.spark.sql.muntin.plans.logical.{MovedFunctions, WithColumns}
import org.apache.spark.sql.muntin.spark.{FrameBetween, WindowHint}

/**
 * Merges windows with one PARTITION BY and ORDER BY into one node. Spark does so (CollapseWindow)
 * if both have the same columns, but computes every expression in a separate column. A window that
 * reads the result of another window stays above it, but uses its columns, so that one sort serves
 * both. An order by times equals an order by the numbers that represent the times. A window of
 * another order uses only the keys of the window below: one exchange serves both, and rows arrive
 * at its sort key by key.
 */
object MergeWindows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.OverEnabled)) plan
    else {
      plan.transformUpWithPruning(_.containsPattern(WINDOW)) {
        case window: Window if isSql(window) && window.child.containsPattern(WINDOW) =>
          merged(window).orElse(byKeysBelow(window)).getOrElse(window)
      }
    }

  private sealed trait Found
  private case object Merged extends Found
  private final case class Shared(keys: Seq[Expression], order: Seq[Expression]) extends Found

  private def merged(window: Window): Option[LogicalPlan] =
    Descent.of(window.partitionSpec, window.orderSpec, window.windowExpressions)
      .to(window.child) {
        case (below: Window, here, isPast)
            if isSql(below) && WindowHint.isSame(below, window) && isOurs(window, below) =>
          inOneOrder(window, below, here).flatMap { case (ordered, computed) =>
            put(window, ordered, computed, here)
              .orElse(if (isPast) None else shared(window, ordered, computed, ordered ne below))
          }
        case _ => None
      }
      .map { landing =>
        landing.found match {
          case Merged => Project(window.output, landing.plan)
          case shared: Shared => over(landing.plan, window, shared)
        }
      }

  /**
   * Returns the window over the keys of an upstream window that has the same keys, as other columns
   * or in another order.
   */
  private def byKeysBelow(window: Window): Option[LogicalPlan] =
    Descent.ofKeys(window.partitionSpec)
      .to(window.child) {
        // After a window with other keys, rows are exchanged in any case.
        case (below: Window, _, false) if isSql(below) && isOurs(window, below) =>
          val keys = below.partitionSpec
          if (areSame(window.partitionSpec, keys)) None
          else {
            val order = window.orderSpec.map(_.child)
            Some(Landing(below, AttributeSet(keys).toSeq, Shared(keys, order)))
          }
        case _ => None
      }
      .map(landing => over(landing.plan, window, landing.found))

  private def over(plan: LogicalPlan, window: Window, shared: Shared): LogicalPlan =
    Project(window.output, goingBy(window, shared.keys, shared.order).copy(child = plan))

  /**
   * Returns the window below, with an order whose values serve both windows, and the expressions
   * that must be computed below it. RANGE frames with offsets need the order's own values. For
   * other frames times and their numbers are equivalent.
   */
  private def inOneOrder(
      window: Window,
      below: Window,
      here: Descent
  ): Option[(Window, Seq[Alias])] =
    if (here.hasValues(below.orderSpec, below.child) || !readsOrder(window)) Some(below -> Nil)
    else if (readsOrder(below)) None
    else {
      val columns = window.orderSpec.zip(here.order).map { case (known, o) =>
        val name = known.child match {
          case a: Attribute => a
          case other => AttributeReference("order", other.dataType, other.nullable)()
        }
        MovedFunctions.column(name, o.child, below.child)
      }
      val computed = columns.collect { case a: Alias => a }
      val ordered = goingBy(below, below.partitionSpec, columns.map(_.toAttribute))
      Some(ordered.copy(child = WithColumns.over(below.child, computed)) -> computed)
    }

  private def put(
      window: Window,
      below: Window,
      computed: Seq[Alias],
      here: Descent
  ): Option[Landing[Found]] = here.inputs.map { inputs =>
    val moved = MovedFunctions(
      window.windowExpressions,
      below.partitionSpec,
      window.orderSpec.map(_.child).zip(below.orderSpec.map(_.child)),
      inputs,
      below.child
    )
    val columns = (moved.functions ++ computed ++ moved.computed).map(_.toAttribute)
    Landing(
      below.copy(
        windowExpressions = below.windowExpressions ++ moved.functions,
        child = moved.over(below.child)
      ),
      columns,
      Merged
    )
  }

  private def shared(
      window: Window,
      below: Window,
      computed: Seq[Alias],
      isChanged: Boolean
  ): Option[Landing[Found]] = {
    val (keys, order) = (below.partitionSpec, below.orderSpec.map(_.child))
    val isShared =
      areSame(window.partitionSpec, keys) && areSame(window.orderSpec.map(_.child), order)
    if (isShared && !isChanged) None
    else {
      val columns = AttributeSet(keys ++ order ++ computed.map(_.toAttribute)).toSeq
      Some(Landing(below, columns, Shared(keys, order)))
    }
  }

  private def goingBy(window: Window, keys: Seq[Expression], order: Seq[Expression]): Window = {
    val values = window.orderSpec.map(_.child).zip(order)
    window.copy(
      windowExpressions =
        window.windowExpressions.map(MovedFunctions.reordered(_, keys, values)),
      partitionSpec = keys,
      orderSpec = window.orderSpec.zip(order).map { case (o, value) =>
        o.copy(child = value, sameOrderExpressions = Nil)
      }
    )
  }

  private def areSame(a: Seq[Expression], b: Seq[Expression]): Boolean =
    a.size == b.size && a.zip(b).forall { case (x, y) => x.semanticEquals(y) }

  /** Returns true if a frame has a bound at an offset from the order's value. */
  private def readsOrder(window: Window): Boolean = window.windowExpressions.exists(_.exists {
    case FrameBetween(RangeFrame, lower, upper) =>
      Seq(lower, upper).exists(!_.isInstanceOf[SpecialFrameBoundary])
    case _ => false
  })

  private def isSql(window: Window): Boolean = window.windowExpressions.headOption
    .exists(WindowFunctionType.functionType(_) == WindowFunctionType.SQL)

  /** Returns true if Muntin runs some of the functions. */
  private def isOurs(windows: Window*): Boolean =
    windows.flatMap(_.windowExpressions).exists(OverPlan.supports)
}
