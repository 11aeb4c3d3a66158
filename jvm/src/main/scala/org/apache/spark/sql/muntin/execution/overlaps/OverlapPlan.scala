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

  /** Returns true if a row of that side is emitted if it has no pair. */
  def keeps(ofLeft: Boolean): Boolean = joinType match {
    case FullOuter => true
    case LeftOuter | LeftAnti => ofLeft
    case RightOuter => !ofLeft
    case _ => false
  }

  /**
   * Returns true if rows of the left side are emitted without columns of the right, and one pair
   * suffices.
   */
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

  /** Returns true if an operator exists for this join type. */
  def supports(joinType: JoinType): Boolean = joinType match {
    case Inner | LeftOuter | RightOuter | FullOuter | LeftSemi | LeftAnti => true
    case _ => false
  }
}
