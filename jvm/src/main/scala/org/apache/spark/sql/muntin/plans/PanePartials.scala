package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.muntin.expressions.{Completeness, GroupAggregate, MergePartial, Partial}
import org.apache.spark.sql.muntin.partials.Ways

/**
 * What the rows of a key and a pane come to, before the rows of a key are brought together: the least and the
 * greatest value of the window's order, and partials. One pane may come out several times.
 */
final case class PanePartials(
    keys: Seq[Attribute],
    pane: Expression,
    functions: Seq[GroupAggregate],
    results: Seq[Attribute],
    child: LogicalPlan
) extends UnaryNode {
  override def output: Seq[Attribute] = keys ++ results

  override def producedAttributes: AttributeSet = AttributeSet(results)

  override protected def withNewChildInternal(newChild: LogicalPlan): PanePartials =
    copy(child = newChild)
}

object PanePartials {

  /**
   * The same windows over partials of panes, where they are made of panes, and where every function is told by
   * partials whatever the order of the rows.
   */
  def of(windows: GroupWindows): Option[GroupWindows] =
    windows.window.pane.filter(_ => isPaned(windows)).map { pane =>
      val field = windows.window.order.head.child
      val bounds = Seq(GroupAggregate(Min(field)), GroupAggregate(Max(field)))
      val partials = windows.functions.map(f => f.copy(function = Partial(f.function, false)))
      val results = (bounds ++ partials).map(_.result)
      val merged = partials.map(_.function).zip(results.drop(2)).map {
        case (partial: Partial, stored) => GroupAggregate(merging(partial, stored))
        case (other, _) => throw new IllegalStateException(s"no partial: $other")
      }
      windows.copy(
        window = windows.window.overPanes(results(0), results(1)),
        functions = merged,
        child = PanePartials(windows.keys, pane, bounds ++ partials, results, windows.child)
      )
    }

  private def merging(partial: Partial, stored: Attribute): MergePartial = {
    val names = partial.way.components.map(_.name)
    // Behind the field of the version.
    val fields = names.zipWithIndex.map { case (n, i) => GetStructField(stored, i + 1, Some(n)) }
    MergePartial(partial.function, isDistinct = false, fields, names, partial.function.sql, None)
  }

  private def isPaned(windows: GroupWindows): Boolean =
    windows.keys.forall(k => UnsafeRowUtils.isBinaryStable(k.dataType)) &&
      windows.functions.forall { a =>
        !a.isDistinct && isMerged(a.function) && Ways.of(a.function, isDistinct = false).nonEmpty
      }

  /** Of a small state that does not depend on the order of the rows. */
  private def isMerged(function: AggregateFunction): Boolean = function match {
    case _: Count | _: Sum | _: Average | _: Min | _: Max | _: CentralMomentAgg | _: Covariance |
        _: PearsonCorrelation | _: BitAggregate | _: HyperLogLogPlusPlus | _: Completeness =>
      true
    case _ => false
  }
}
