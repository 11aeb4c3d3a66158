package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.{Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.execution.asof.{AsOfReach, AsOfSide}
import org.apache.spark.sql.muntin.expressions.AsOf
import org.apache.spark.sql.muntin.plans.logical.{AsOfRows, KeyEquality}
import org.apache.spark.sql.muntin.spark.SparkAsOfJoin
import org.apache.spark.sql.types._

/**
 * Replaces Spark's own as-of joins by AsOfRows nodes: SQL's ASOF JOIN … MATCH_CONDITION, and the
 * join of `merge_asof` of the pandas API. For the latter Spark joins each row of the left side with
 * all rows of the right side before or after it. Joins by DOUBLE and FLOAT (Spark orders NaN last),
 * by types that Muntin does not support as times (STRING, STRUCT), and with a condition on both
 * sides that is not an equality are left to Spark.
 */
object TakeAsOfJoins extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!conf.getConf(MuntinConf.AsOfEnabled)) plan
    else plan.resolveOperatorsUp {
      case SparkAsOfJoin(join) if join.resolved && !join.isStreaming => taken(join).getOrElse(join)
    }

  private def taken(join: AsOfJoin): Option[LogicalPlan] = for {
    (direction, leftTime, rightTime) <- times(join)
    reach <- reach(join, direction, leftTime, rightTime)
    (ofLeft, ofRight, ofBoth) = conditions(join)
    keys <- keys(join, ofBoth)
    if join.joinType == Inner || join.joinType == LeftOuter
    if join.toleranceAssertion.forall(a => a.foldable && a.eval() == true)
  } yield AsOfRows(
    join.left,
    ofRight.reduceOption(And(_, _)).fold(join.right)(Filter(_, join.right)),
    join.joinType,
    AsOfSide(keys.map(_._1), leftTime),
    AsOfSide(keys.map(_._2), rightTime),
    reach,
    ofLeft
  )

  /** Returns the direction and both times. */
  private def times(join: AsOfJoin): Option[(String, Expression, Expression)] = {
    val found = if (SparkAsOfJoin.hasMatchCondition(join)) compared(join) else nearest(join)
    found.filter { case (_, l, r) =>
      l.dataType == r.dataType && AsOf.isTime(l.dataType) &&
      l.dataType != DoubleType && l.dataType != FloatType
    }
  }

  /** Returns direction and times of the comparison of MATCH_CONDITION. */
  private def compared(join: AsOfJoin): Option[(String, Expression, Expression)] = {
    val found = join.asOfCondition match {
      case GreaterThanOrEqual(l, r) => Some((AsOf.Backward, l, r))
      case GreaterThan(l, r) => Some((AsOf.Backward, l, r))
      case LessThanOrEqual(l, r) => Some((AsOf.Forward, l, r))
      case LessThan(l, r) => Some((AsOf.Forward, l, r))
      case _ => None
    }
    found.filter { case (_, l, r) =>
      SparkAsOfJoin.sorted(join) match {
        case (Seq(ofLeft), Seq(ofRight)) =>
          isOf(l, join.left) && isOf(r, join.right) && sortsAs(l, ofLeft) && sortsAs(r, ofRight)
        case _ => false
      }
    }
  }

  /** Returns true if `time` has the order of `sorted`, which Spark sorts by. */
  private def sortsAs(time: Expression, sorted: Expression): Boolean =
    time.semanticEquals(sorted) || (time match {
      case cast: Cast =>
        val keepsOrder = (cast.child.dataType, cast.dataType) match {
          case (_: NumericType, _: NumericType) => true
          case (DateType, TimestampType | TimestampNTZType) => true
          case _ => false // TIMESTAMP and TIMESTAMP_NTZ, if clocks change
        }
        keepsOrder && sortsAs(cast.child, sorted)
      case _ => false
    })

  /** Returns direction and times of the expression that the matched row minimizes. */
  private def nearest(join: AsOfJoin): Option[(String, Expression, Expression)] = {
    def ofLeft(e: Expression) = isOf(e, join.left)
    def ofRight(e: Expression) = isOf(e, join.right)
    join.orderExpression match {
      // For numbers, dates or timestamps.
      case minus: BinaryExpression if ofLeft(minus.left) && ofRight(minus.right) =>
        Some((AsOf.Backward, minus.left, minus.right))
      case minus: BinaryExpression if ofLeft(minus.right) && ofRight(minus.left) =>
        Some((AsOf.Forward, minus.right, minus.left))
      case If(GreaterThan(l, r), _, _) if ofLeft(l) && ofRight(r) => Some((AsOf.Nearest, l, r))
      case _ => None
    }
  }

  private def reach(
      join: AsOfJoin,
      direction: String,
      left: Expression,
      right: Expression
  ): Option[AsOfReach] = {
    val all = AsOfReach(direction, strict = false, None, None)
    def isLeft(e: Expression) = e.semanticEquals(left)
    def isRight(e: Expression) = e.semanticEquals(right)
    def isBound(e: Expression) = isOf(e, join.left) && e.dataType == left.dataType
    splitConjunctivePredicates(join.asOfCondition).foldLeft(Option(all)) {
      case (Some(known), condition) => condition match {
          case Literal.TrueLiteral => Some(known)
          case GreaterThanOrEqual(l, r) if isLeft(l) && isRight(r) => Some(known)
          case LessThanOrEqual(l, r) if isLeft(l) && isRight(r) => Some(known)
          case GreaterThan(l, r) if isLeft(l) && isRight(r) => Some(known.copy(strict = true))
          case LessThan(l, r) if isLeft(l) && isRight(r) => Some(known.copy(strict = true))
          case Not(EqualTo(l, r)) if isLeft(l) && isRight(r) => Some(known.copy(strict = true))
          case GreaterThanOrEqual(r, from) if isRight(r) && isBound(from) =>
            Some(known.copy(start = Some(from)))
          case LessThanOrEqual(r, until) if isRight(r) && isBound(until) =>
            Some(known.copy(end = Some(until)))
          case GreaterThan(r, from) if isRight(r) && isBound(from) =>
            Some(known.copy(start = Some(from), open = true))
          case LessThan(r, until) if isRight(r) && isBound(until) =>
            Some(known.copy(end = Some(until), open = true))
          case _ => None
        }
      case (None, _) => None
    }
  }

  /** Returns the conditions on the left side only, on the right side only, and the others. */
  private def conditions(
      join: AsOfJoin
  ): (Seq[Expression], Seq[Expression], Seq[Expression]) = {
    val all = join.condition.toSeq.flatMap(splitConjunctivePredicates)
      .filter(_ != Literal.TrueLiteral)
    val (ofLeft, others) = all.partition(isOf(_, join.left))
    val (ofRight, ofBoth) = others.partition(isOf(_, join.right))
    (ofLeft, ofRight, ofBoth)
  }

  private def keys(join: AsOfJoin, ofBoth: Seq[Expression]): Option[KeyEquality.Pairs] = {
    val pairs = ofBoth.map(KeyEquality.between(_, isOf(_, join.left), isOf(_, join.right)))
    Option.when(pairs.forall(_.isDefined) && join.condition.forall(_.deterministic)) {
      pairs.flatten.flatten
    }
  }

  private def isOf(expression: Expression, side: LogicalPlan): Boolean =
    expression.references.nonEmpty && expression.references.subsetOf(side.outputSet)
}
