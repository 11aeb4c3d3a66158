package org.apache.spark.sql.muntin.plans.streams

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.muntin.plans.logical.Bounds

/**
 * The rows of a stream together with its bounds, after projections, filters and unions. The last
 * column, `isBound`, is true for bounds.
 *
 *     Filter [y > 5]                    Filter [bound OR y > 5]
 *     +- Project [at, 1 / x AS y]       +- Project [at, IF(bound, null, 1 / x) AS y, bound]
 *        +- Bounds [x = 0]                 +- Project [at, x, x = 0 AS bound]
 */
private[plans] final case class MarkedBounds(rows: LogicalPlan) {
  def isBound: Attribute = rows.output.last
}

private[plans] object MarkedBounds {
  private val name = "bound"

  /**
   * Returns None if no bounds reach the top of `plan`.
   *
   * @param read
   *   the columns in which bounds have values; other columns are not computed for bounds
   */
  def of(plan: LogicalPlan, read: AttributeSet): Option[MarkedBounds] = plan match {
    case blocked if !passes(blocked) => None
    case bounds: Bounds =>
      val below = of(bounds.child, read)
      val isBound = below.fold(bounds.condition)(b => Or(b.isBound, bounds.condition))
      Some(marked(bounds.output, isBound, below.fold(bounds.child)(_.rows)))
    case Project(list, child) =>
      val (own, others) = list.partition(e => read.contains(e.toAttribute))
      of(child, read ++ AttributeSet(own)).map { below =>
        val computed = others.map(e => e.exprId -> unlessBound(e, below.isBound)).toMap
        MarkedBounds(Project(
          list.map(e => computed.getOrElse(e.exprId, e)) :+ below.isBound,
          below.rows
        ))
      }
    case Filter(condition, child) =>
      of(child, read).map(b => MarkedBounds(Filter(Or(b.isBound, condition), b.rows)))
    case union: Union =>
      val at = union.output.indices.filter(i => read.contains(union.output(i)))
      val below = union.children.map(c => of(c, AttributeSet(at.map(c.output(_)))))
      if (below.forall(_.isEmpty)) None
      else {
        val children = union.children.zip(below).map {
          case (_, Some(found)) => found.rows
          case (child, None) => marked(child.output, Literal.FalseLiteral, child).rows
        }
        Some(MarkedBounds(union.withNewChildren(children)))
      }
    case SubqueryAlias(_, child) => of(child, read)
    case view: View => of(view.child, read)
    case _ => None
  }

  /** Returns true if bounds can pass this node. */
  def passes(plan: LogicalPlan): Boolean = plan match {
    // Python functions are called for all rows, even inside a condition.
    case Project(list, _) => !list.exists(_.exists(_.isInstanceOf[PythonUDF]))
    case Filter(condition, _) =>
      !condition.exists(_.isInstanceOf[PythonUDF]) && !SubqueryExpression.hasSubquery(condition)
    case _: Bounds | _: Union | _: SubqueryAlias | _: View => true
    case _ => false
  }

  private def marked(
      columns: Seq[Attribute],
      isBound: Expression,
      rows: LogicalPlan
  ): MarkedBounds = MarkedBounds(Project(columns :+ Alias(isBound, name)(), rows))

  /** Computed values are null for a bound, because the computation may fail. */
  private def unlessBound(e: NamedExpression, isBound: Attribute): NamedExpression = e match {
    case a @ Alias(child, _) if !child.foldable && !child.isInstanceOf[Attribute] =>
      val none =
        if (child.nullable) Literal(null, child.dataType) else Literal.default(child.dataType)
      Alias(If(isBound, none, child), a.name)(
        a.exprId,
        a.qualifier,
        Some(a.metadata),
        a.nonInheritableMetadataKeys
      )
    case other => other
  }
}
