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
          merged(window).orElse(sharingKeys(window)).getOrElse(window)
      }
    }

  private sealed trait MergeOutcome
  private case object Merged extends MergeOutcome
  private final case class Shared(keys: Seq[Expression], order: Seq[Expression])
      extends MergeOutcome

  private def merged(window: Window): Option[LogicalPlan] =
    WindowPushdown.of(window.partitionSpec, window.orderSpec, window.windowExpressions)
      .into(window.child) {
        case (target: Window, pushed, isPast)
            if isSql(target) && WindowHint.isSame(target, window) && isOurs(window, target) =>
          inOneOrder(window, target, pushed).flatMap { case (ordered, computed) =>
            merge(window, ordered, computed, pushed)
              .orElse(if (isPast) None else shared(window, ordered, computed, ordered ne target))
          }
        case _ => None
      }
      .map { result =>
        result.outcome match {
          case Merged => Project(window.output, result.plan)
          case shared: Shared => withOutputOf(result.plan, window, shared)
        }
      }

  /**
   * Returns the window over the keys of an upstream window that has the same keys, as other columns
   * or in another order.
   */
  private def sharingKeys(window: Window): Option[LogicalPlan] =
    WindowPushdown.ofKeys(window.partitionSpec)
      .into(window.child) {
        // After a window with other keys, rows are exchanged in any case.
        case (target: Window, _, false) if isSql(target) && isOurs(window, target) =>
          val keys = target.partitionSpec
          if (areSame(window.partitionSpec, keys)) None
          else {
            val order = window.orderSpec.map(_.child)
            Some(PushdownResult(target, AttributeSet(keys).toSeq, Shared(keys, order)))
          }
        case _ => None
      }
      .map(result => withOutputOf(result.plan, window, result.outcome))

  private def withOutputOf(plan: LogicalPlan, window: Window, shared: Shared): LogicalPlan =
    Project(window.output, withOrder(window, shared.keys, shared.order).copy(child = plan))

  /**
   * Returns the window below, with an order whose values serve both windows, and the expressions
   * that must be computed below it. RANGE frames with offsets need the order's own values. For
   * other frames times and their numbers are equivalent.
   */
  private def inOneOrder(
      window: Window,
      target: Window,
      pushed: WindowPushdown
  ): Option[(Window, Seq[Alias])] =
    if (pushed.hasValues(target.orderSpec, target.child) || !readsOrder(window)) Some(target -> Nil)
    else if (readsOrder(target)) None
    else {
      val columns = window.orderSpec.zip(pushed.order).map { case (known, o) =>
        val name = known.child match {
          case a: Attribute => a
          case other => AttributeReference("order", other.dataType, other.nullable)()
        }
        MovedFunctions.column(name, o.child, target.child)
      }
      val computed = columns.collect { case a: Alias => a }
      val ordered = withOrder(target, target.partitionSpec, columns.map(_.toAttribute))
      Some(ordered.copy(child = WithColumns.project(target.child, computed)) -> computed)
    }

  private def merge(
      window: Window,
      target: Window,
      computed: Seq[Alias],
      pushed: WindowPushdown
  ): Option[PushdownResult[MergeOutcome]] = pushed.inputs.map { inputs =>
    val moved = MovedFunctions(
      window.windowExpressions,
      target.partitionSpec,
      window.orderSpec.map(_.child).zip(target.orderSpec.map(_.child)),
      inputs,
      target.child
    )
    val columns = (moved.functions ++ computed ++ moved.computed).map(_.toAttribute)
    PushdownResult(
      target.copy(
        windowExpressions = target.windowExpressions ++ moved.functions,
        child = moved.projectInputs(target.child)
      ),
      columns,
      Merged
    )
  }

  private def shared(
      window: Window,
      target: Window,
      computed: Seq[Alias],
      isChanged: Boolean
  ): Option[PushdownResult[MergeOutcome]] = {
    val (keys, order) = (target.partitionSpec, target.orderSpec.map(_.child))
    val isShared =
      areSame(window.partitionSpec, keys) && areSame(window.orderSpec.map(_.child), order)
    if (isShared && !isChanged) None
    else {
      val columns = AttributeSet(keys ++ order ++ computed.map(_.toAttribute)).toSeq
      Some(PushdownResult(target, columns, Shared(keys, order)))
    }
  }

  private def withOrder(window: Window, keys: Seq[Expression], order: Seq[Expression]): Window = {
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
