package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.{
  BoundSide,
  GroupsFrame,
  InvalidArgument,
  KnownInteger,
  RowBounds
}
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}

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
    if (spec.orderSpec.isEmpty) throw invalid(
      "it counts groups of rows whose ORDER BY values are equal, and there is no ORDER BY"
    )
    spec.frameSpecification match {
      case FrameBetween(_, lower, upper) =>
        GroupsFrame(
          if (lower == UnboundedPreceding) None else Some(count(lower)),
          if (upper == UnboundedFollowing) None else Some(count(upper))
        )
      case other => throw invalid(s"${other.sql}, which is no frame")
    }
  }

  private def count(bound: Expression): Long = bound match {
    case CurrentRow => 0L
    case KnownInteger(groups) => KnownInteger.ofRows(groups).toLong
    case other => throw invalid(s"${other.sql}; expected is an integer number of groups")
  }

  private def invalid(value: String): AnalysisException = InvalidArgument("OVER", "GROUPS", value)
}
