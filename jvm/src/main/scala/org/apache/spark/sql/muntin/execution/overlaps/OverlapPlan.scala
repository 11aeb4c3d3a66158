package org.apache.spark.sql.muntin.execution.overlaps

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._

/** One side of a join of intervals: its rows' keys and intervals. */
final case class OverlapSide(
    output: Seq[Attribute],
    keys: Seq[Expression],
    start: Expression,
    end: Expression
)

/**
 * A join of the rows whose keys are equal, whose intervals overlap, and for which `condition` is
 * true.
 */
final case class OverlapPlan(
    left: OverlapSide,
    right: OverlapSide,
    joinType: JoinType,
    condition: Option[Expression]
) {

  /** Whether a row of that side comes out where it has no pair. */
  def keeps(ofLeft: Boolean): Boolean = joinType match {
    case FullOuter => true
    case LeftOuter | LeftAnti => ofLeft
    case RightOuter => !ofLeft
    case _ => false
  }

  /** Whether rows of the left side come out alone, and one pair is as good as many. */
  def isExistence: Boolean = joinType == LeftSemi || joinType == LeftAnti

  def output: Seq[Attribute] = joinType match {
    case LeftSemi | LeftAnti => left.output
    case LeftOuter => left.output ++ nullable(right)
    case RightOuter => nullable(left) ++ right.output
    case FullOuter => nullable(left) ++ nullable(right)
    case _ => left.output ++ right.output
  }

  private def nullable(side: OverlapSide): Seq[Attribute] =
    side.output.map(_.withNullability(true))
}

object OverlapPlan {

  /** Whether there is an operator for it. */
  def supports(joinType: JoinType): Boolean = joinType match {
    case Inner | LeftOuter | RightOuter | FullOuter | LeftSemi | LeftAnti => true
    case _ => false
  }
}
