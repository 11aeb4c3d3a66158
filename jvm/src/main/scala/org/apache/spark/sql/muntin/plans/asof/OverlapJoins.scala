package org.apache.spark.sql.muntin.plans.asof

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.muntin.execution.overlaps.{OverlapJoinExec, OverlapPlan}
import org.apache.spark.sql.muntin.expressions.Overlaps
import org.apache.spark.sql.muntin.plans.logical.KeyEquality
import org.apache.spark.sql.muntin.spark.JoinOn

/**
 * Joins that Muntin's operator runs: joins of two tables by `overlaps` of one interval of each
 * side. Equalities of both sides among the other conditions become keys. Spark runs joins of
 * streams and conditions with `overlaps` inside OR or NOT; it evaluates `overlaps` like any
 * condition.
 */
private[plans] object OverlapJoins extends PredicateHelper {

  /** Plans the join over the plans of its sides. */
  type Planned = (SparkPlan, SparkPlan) => SparkPlan

  def unapply(plan: LogicalPlan): Option[(LogicalPlan, LogicalPlan, Planned)] = plan match {
    case join @ JoinOn(left, right, _, Some(condition))
        if !join.isStreaming && condition.exists(_.isInstanceOf[Overlaps]) =>
      planned(join, splitConjunctivePredicates(condition)).map((left, right, _))
    case _ => None
  }

  private def planned(join: Join, conditions: Seq[Expression]): Option[Planned] = {
    import join.{left, right}
    def isOf(side: LogicalPlan)(e: Expression) =
      e.references.nonEmpty && e.references.subsetOf(side.outputSet)
    def intervals(e: Expression): Option[Overlaps] = e match {
      case o: Overlaps if areOf(o) => Some(o)
      case o: Overlaps if areOf(o.swapped) => Some(o.swapped)
      case _ => None
    }
    def areOf(o: Overlaps) = Seq(o.leftStart, o.leftEnd).forall(isOf(left)) &&
      Seq(o.rightStart, o.rightEnd).forall(isOf(right))
    def keys(e: Expression): Option[KeyEquality.Pairs] =
      KeyEquality.between(e, isOf(left), isOf(right)).filter {
        _.forall { case (l, r) => RowOrdering.isOrderable(l.dataType) && l.dataType == r.dataType }
      }
    for {
      by <- conditions.find(intervals(_).isDefined)
      found <- intervals(by)
      if OverlapPlan.supports(join.joinType) && conditions.forall(_.deterministic)
    } yield {
      val others = conditions.filterNot(_ eq by)
      val (leftKeys, rightKeys) = others.flatMap(keys(_)).flatten.unzip
      OverlapJoinExec(
        leftKeys,
        rightKeys,
        found.leftStart,
        found.leftEnd,
        found.rightStart,
        found.rightEnd,
        join.joinType,
        others.filter(keys(_).isEmpty).reduceOption(And(_, _)),
        _,
        _
      )
    }
  }
}
