package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.{
  BoundSide,
  GroupsFrame,
  KnownInteger,
  RowBounds
}
import org.apache.spark.sql.muntin.spark.{FrameBetween, MuntinAnalysisException, OverCall}

/** Replaces a FrameMark: GROUPS, EXCLUDE, and offsets that are expressions of the row. */
private[plans] object MarkedFrames extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    (function, spec) match {
      case (call: UnresolvedFunction, _) if WindowCalls.isRank(call) => None
      case (_, FrameMark(mark, unmarked)) if !EmptyFrames.isEmpty(spec) =>
        val groups: Expression = mark.ends match {
          case Seq(lowerSide, lower, upperSide, upper) =>
            RowBounds(
              mark.kind.toUpperCase(Locale.ROOT),
              BoundSide(lowerSide.toString),
              lower,
              BoundSide(upperSide.toString),
              upper
            )
          case _ => if (mark.isGroups) Literal(groupsOf(unmarked).bounds) else Literal(null)
        }
        val over =
          if (groups == Literal(null)) unmarked
          else unmarked.copy(frameSpecification = UnspecifiedFrame)
        Some(OverCall(FramedCalls(function, mark.exclude, groups), over))
      case _ => None
    }

  private def groupsOf(spec: WindowSpecDefinition): GroupsFrame = {
    if (spec.orderSpec.isEmpty) {
      throw new MuntinAnalysisException("MUNTIN_FRAME_REQUIRES_ORDER_BY", "clause" -> "GROUPS")
    }
    spec.frameSpecification match {
      case FrameBetween(_, lower, upper) =>
        GroupsFrame(
          if (lower == UnboundedPreceding) None else Some(count(lower)),
          if (upper == UnboundedFollowing) None else Some(count(upper))
        )
      case other => throw new IllegalStateException(s"GROUPS without bounds: ${other.sql}")
    }
  }

  private def count(bound: Expression): Long = bound match {
    case CurrentRow => 0L
    case KnownInteger(groups) => KnownInteger.ofRows(groups).toLong
    case other =>
      throw new MuntinAnalysisException("MUNTIN_INVALID_GROUPS_BOUND", "bound" -> other.sql)
  }
}
