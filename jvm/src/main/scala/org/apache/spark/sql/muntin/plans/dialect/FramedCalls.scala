package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, WindowSpecDefinition}
import org.apache.spark.sql.muntin.expressions.Framed
import org.apache.spark.sql.muntin.spark.{FunctionCall, MuntinAnalysisException, OverCall}

/**
 * Builds calls of `framed`, whose arguments express the parts of an OVER clause that Spark does not
 * support.
 */
private[plans] object FramedCalls {
  private val allRows = Literal(Framed.NoOthers)

  /** Returns the function in `framed`; adds the arguments to a call that is `framed` already. */
  def apply(function: Expression, exclude: Expression, groups: Expression): Expression =
    function match {
      case call @ ResolveNames(Framed) =>
        val arguments = Framed.inOrder(call.arguments)
        val excluded = arguments(Framed.ExcludeAt)
        checkOnce("EXCLUDE", excluded, exclude, allRows)
        checkOnce("GROUPS", arguments(Framed.GroupsAt), groups, Literal(null))
        val both = if (exclude == allRows) excluded else exclude
        call.copy(arguments =
          arguments.updated(Framed.ExcludeAt, both).updated(Framed.GroupsAt, groups)
        )
      case call: UnresolvedFunction if NthCalls.isNth(call) =>
        val agg = if (WindowCalls.isOfRow(call)) NthCalls.ofRow(call) else NthCalls.nth(call)
        framed(agg, exclude, groups)
      case other => framed(other, exclude, groups)
    }

  /** Returns an aggregate that runs only inside `framed`, over the frame of the clause. */
  def over(agg: Expression, spec: WindowSpecDefinition): Expression =
    OverCall(framed(agg, allRows, Literal(null)), spec)

  private def framed(agg: Expression, exclude: Expression, groups: Expression): Expression =
    FunctionCall(
      Seq(Framed.qualifiedName),
      Framed.inOrder(Seq(agg)).updated(Framed.ExcludeAt, exclude).updated(Framed.GroupsAt, groups)
    )

  private def checkOnce(
      what: String,
      first: Expression,
      second: Expression,
      nothing: Literal
  ): Unit = if (first != nothing && second != nothing) {
    throw new MuntinAnalysisException(
      "MUNTIN_FRAME_SPECIFIED_TWICE",
      "clause" -> what,
      "argument" -> first.sql,
      "value" -> second.sql
    )
  }
}
