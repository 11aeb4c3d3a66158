package org.apache.spark.sql.muntin.plans.logical

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}
import org.apache.spark.sql.muntin.execution.panes.{PaneColumn, PaneColumns}
import org.apache.spark.sql.muntin.expressions.Completeness
import org.apache.spark.sql.muntin.expressions.common.{GroupAggregate, Unqualified}
import org.apache.spark.sql.muntin.partials.{MergePartial, Pair, Partial, PartialLayouts}
import org.apache.spark.sql.muntin.spark.EqualBytes

/**
 * Rows aggregated by key and pane, before the rows of a key are exchanged: the least and the
 * greatest value of the window's order (`bounds`), and the contents of `partials`, as PaneColumns.
 * A pane may have several output rows.
 */
final case class PanePartials(
    keys: Seq[Attribute],
    pane: Expression,
    bounds: Seq[GroupAggregate],
    partials: Seq[GroupAggregate],
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
   * Returns the windows over partials of panes, if the windows consist of panes, and if every
   * function can be computed from partials in any order of the rows.
   */
  def of(windows: GroupWindows): Option[GroupWindows] =
    windows.plan.pane.filter(_ => isPaned(windows)).map { pane =>
      val field = windows.window.order.head.child
      val bounds = Seq(GroupAggregate(Min(field)), GroupAggregate(Max(field)))
      val partials = windows.functions.map(f => f.copy(function = Partial(f.function, false)))
      val (columns, read) = PaneColumns.of(partials)
      val first = AttributeReference("first", field.dataType)()
      val last = AttributeReference("last", field.dataType)()
      val stored = columns.map { c =>
        val name = Unqualified.sql(PaneColumns.partial(c.function).function)
        c -> c.types.map(AttributeReference(name, _)())
      }
      val attributes = stored.toMap
      val merged = partials.zip(read).map { case (partial, columns) =>
        GroupAggregate(
          merging(PaneColumns.partial(partial), columns, c => c.read(attributes(c)))
        )
      }
      windows.copy(
        plan = windows.plan.overPanes(first, last),
        functions = merged,
        child = PanePartials(
          windows.keys,
          pane,
          bounds,
          partials,
          Seq(first, last) ++ stored.flatMap(_._2),
          windows.child
        )
      )
    }

  private def merging(
      partial: Partial,
      columns: Seq[PaneColumn],
      stored: PaneColumn => Expression
  ): MergePartial = {
    val names = partial.layout.partialFields.map(_.name)
    val fields = columns match {
      case Seq(whole @ PaneColumn(_, _, None, _)) =>
        // After the field of the version.
        names.indices.map(i => GetStructField(stored(whole), i + 1))
      case each => each.map(stored)
    }
    MergePartial(partial.function, isDistinct = false, fields, names, partial.function.sql, None)
  }

  private def isPaned(windows: GroupWindows): Boolean =
    windows.keys.forall(k => EqualBytes.areIn(k.dataType)) &&
      windows.functions.forall { a =>
        !a.isDistinct && isMerged(a.function) && PartialLayouts.of(
          a.function,
          isDistinct = false
        ).nonEmpty
      }

  /**
   * Returns true if the function has a small state that does not depend on the order of the rows.
   */
  private def isMerged(function: AggregateFunction): Boolean = function match {
    case Pair(_, _) => true
    // Among values that compare as equal, the first is the result.
    case Min(child) => EqualBytes.areIn(child.dataType)
    case Max(child) => EqualBytes.areIn(child.dataType)
    case _: Count | _: Sum | _: Average | _: CentralMomentAgg | _: BitAggregate |
        _: HyperLogLogPlusPlus | _: Completeness =>
      true
    case _ => false
  }
}
