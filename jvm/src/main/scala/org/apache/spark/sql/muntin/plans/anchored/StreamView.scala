package org.apache.spark.sql.muntin.plans.anchored

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * Columns over the rows of `base`, and the condition that a row must satisfy. Two views over one
 * stream can read it once:
 *
 * {{{
 *   SELECT t, x FROM readings                     t, x of readings
 *   SELECT t AS at FROM readings WHERE x > 100    t of readings, if x > 100
 * }}}
 */
private[anchored] final case class StreamView(
    columns: Seq[(Attribute, Expression)],
    condition: Option[Expression],
    base: LogicalPlan
) {
  private val expressions = columns.map { case (column, value) => column.exprId -> value }.toMap

  /** Returns the expression of columns of the view as an expression of columns of `base`. */
  def inBase(expression: Expression): Expression = expression.transform {
    case a: Attribute => expressions.getOrElse(a.exprId, a)
  }

  /**
   * Returns the value of the expression for a row that satisfies the condition. For other rows it
   * is not computed, because it may fail there.
   */
  def value(expression: Expression): Expression = inBase(expression) match {
    case plain @ (_: Attribute | _: Literal) => plain
    case computed => condition.fold(computed)(If(_, computed, Literal(null, computed.dataType)))
  }

  /** Returns whether a row satisfies the condition. */
  def isPresent: Expression = condition.fold[Expression](Literal.TrueLiteral) { c =>
    Coalesce(Seq(c, Literal.FalseLiteral))
  }

  /** Returns the view over the same rows of another base; None if it has other rows. */
  def over(other: LogicalPlan): Option[StreamView] = Option.when(base.sameResult(other)) {
    val same = AttributeMap(base.output.zip(other.output))
    def moved(e: Expression): Expression = e.transform { case a: Attribute => same.getOrElse(a, a) }
    StreamView(columns.map { case (a, e) => a -> moved(e) }, condition.map(moved), other)
  }

  private def where(filter: Expression): StreamView = {
    val both = condition.fold(inBase(filter))(And(_, inBase(filter)))
    copy(condition = Some(both))
  }

  private def select(list: Seq[NamedExpression]): StreamView = {
    val values = list.map {
      case Alias(child, _) => inBase(child)
      case other => inBase(other)
    }
    copy(columns = list.map(_.toAttribute).zip(values))
  }
}

private[anchored] object StreamView {

  /** Looks through projections and filters. A watermark has no effect in the order `group`. */
  def apply(plan: LogicalPlan): StreamView = plan match {
    case Project(list, child) if list.forall(isPlain) => StreamView(child).select(list)
    case Filter(condition, child) if isPlain(condition) => StreamView(child).where(condition)
    case SubqueryAlias(_, child) => StreamView(child)
    case view: View => StreamView(view.child)
    case hint: ResolvedHint => StreamView(hint.child)
    case marked: EventTimeWatermark => StreamView(marked.child)
    case base => StreamView(base.output.map(a => a -> a), None, base)
  }

  private def isPlain(expression: Expression): Boolean =
    expression.deterministic && !expression.exists {
      case _: SubqueryExpression | _: WindowExpression | _: Generator | _: PythonUDF => true
      case _ => false
    }
}
