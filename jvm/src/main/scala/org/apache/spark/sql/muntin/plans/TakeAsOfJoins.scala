package org.apache.spark.sql.muntin.plans

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.muntin.spark.SparksAsOfJoin
import org.apache.spark.sql.types.{DoubleType, FloatType}

/**
 * An as-of join of Spark's own, which `merge_asof` of the pandas API makes, becomes an AsOfRows
 * node. Spark joins each row of the left side with all rows of the right before or after it. Left
 * to Spark are joins by doubles, of which NaN is after all others there, and conditions that are no
 * equalities.
 */
object TakeAsOfJoins extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.AsOfEnabled)) plan
    else plan.resolveOperatorsUp {
      case SparksAsOfJoin(join) if join.resolved && !join.isStreaming => taken(join).getOrElse(join)
    }

  private def taken(join: AsOfJoin): Option[LogicalPlan] = for {
    (direction, leftTime, rightTime) <- times(join)
    bounds <- bounds(join, leftTime, rightTime)
    keys <- keys(join)
    if join.joinType == Inner || join.joinType == LeftOuter
    if join.toleranceAssertion.forall(a => a.foldable && a.eval() == true)
  } yield AsOfRows(
    join.left,
    join.right,
    join.joinType,
    leftTime,
    rightTime,
    bounds.start,
    bounds.end,
    keys.map(_._1),
    keys.map(_._2),
    Nil,
    direction,
    bounds.isStrict,
    bounds.isOpen
  )

  /** The direction and both times, by what is least of the row that is found. */
  private def times(join: AsOfJoin): Option[(String, Expression, Expression)] = {
    def ofLeft(e: Expression) = isOf(e, join.left)
    def ofRight(e: Expression) = isOf(e, join.right)
    val found = join.orderExpression match {
      // Of numbers, dates or timestamps.
      case minus: BinaryExpression if ofLeft(minus.left) && ofRight(minus.right) =>
        Some((AsOf.Backward, minus.left, minus.right))
      case minus: BinaryExpression if ofLeft(minus.right) && ofRight(minus.left) =>
        Some((AsOf.Forward, minus.right, minus.left))
      case If(GreaterThan(l, r), _, _) if ofLeft(l) && ofRight(r) => Some((AsOf.Nearest, l, r))
      case _ => None
    }
    found.filter { case (_, l, r) =>
      l.dataType == r.dataType && AsOf.isTime(l.dataType) &&
      l.dataType != DoubleType && l.dataType != FloatType
    }
  }

  private case class Bounds(
      start: Option[Expression] = None,
      end: Option[Expression] = None,
      isStrict: Boolean = false,
      isOpen: Boolean = false
  )

  private def bounds(join: AsOfJoin, left: Expression, right: Expression): Option[Bounds] = {
    def isLeft(e: Expression) = e.semanticEquals(left)
    def isRight(e: Expression) = e.semanticEquals(right)
    def isBound(e: Expression) = isOf(e, join.left) && e.dataType == left.dataType
    splitConjunctivePredicates(join.asOfCondition).foldLeft(Option(Bounds())) {
      case (Some(known), condition) => condition match {
          case Literal.TrueLiteral => Some(known)
          case GreaterThanOrEqual(l, r) if isLeft(l) && isRight(r) => Some(known)
          case LessThanOrEqual(l, r) if isLeft(l) && isRight(r) => Some(known)
          case GreaterThan(l, r) if isLeft(l) && isRight(r) => Some(known.copy(isStrict = true))
          case LessThan(l, r) if isLeft(l) && isRight(r) => Some(known.copy(isStrict = true))
          case Not(EqualTo(l, r)) if isLeft(l) && isRight(r) => Some(known.copy(isStrict = true))
          case GreaterThanOrEqual(r, from) if isRight(r) && isBound(from) =>
            Some(known.copy(start = Some(from)))
          case LessThanOrEqual(r, until) if isRight(r) && isBound(until) =>
            Some(known.copy(end = Some(until)))
          case GreaterThan(r, from) if isRight(r) && isBound(from) =>
            Some(known.copy(start = Some(from), isOpen = true))
          case LessThan(r, until) if isRight(r) && isBound(until) =>
            Some(known.copy(end = Some(until), isOpen = true))
          case _ => None
        }
      case (None, _) => None
    }
  }

  private def keys(join: AsOfJoin): Option[Seq[(Expression, Expression)]] = {
    val pairs = join.condition.toSeq.flatMap(splitConjunctivePredicates)
      .map(KeyEquality.between(_, isOf(_, join.left), isOf(_, join.right)))
    Option.when(pairs.forall(_.isDefined))(pairs.flatten.flatten)
  }

  private def isOf(expression: Expression, side: LogicalPlan): Boolean =
    expression.references.nonEmpty && expression.references.subsetOf(side.outputSet)
}
