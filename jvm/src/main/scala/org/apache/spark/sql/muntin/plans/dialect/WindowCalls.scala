package org.apache.spark.sql.muntin.plans.dialect

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{UnresolvedExtractValue, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.muntin.conf.MuntinConf
import org.apache.spark.sql.muntin.spark.FunctionCall

/** Reads calls of Spark's functions before analysis. */
private[plans] object WindowCalls {
  private val ranks =
    Set("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead")

  /** Returns true if the function ignores the frame. */
  def isRank(call: UnresolvedFunction): Boolean = ranks(nameOf(call))

  def isNamed(call: UnresolvedFunction, name: String): Boolean = nameOf(call) == name

  /** Returns the name of the function in lower case; empty if it has several parts. */
  def nameOf(call: UnresolvedFunction): String =
    if (call.nameParts.size == 1) call.nameParts.head.toLowerCase(Locale.ROOT) else ""

  def isShift(call: UnresolvedFunction): Boolean = isNamed(call, "lag") || isNamed(call, "lead")

  /** Returns true if the number of rows, or of buckets, is an expression of the row. */
  def isOfRow(call: UnresolvedFunction): Boolean = {
    val number =
      if (isNamed(call, "ntile")) call.arguments.headOption
      else if (NthCalls.isNth(call) || isShift(call)) call.arguments.lift(1)
      else None
    number.exists(_.exists(_.isInstanceOf[Attribute]))
  }

  /** Returns true if no rule for the frame or the order applies, only rules for the function. */
  def isSettled(call: UnresolvedFunction, spec: WindowSpecDefinition): Boolean =
    FrameMark.unapply(spec).isEmpty && !EmptyFrames.isEmpty(spec) &&
      !RanksWithoutOrder.lacksOrder(call, spec)

  def isPermissive: Boolean = SQLConf.get.getConf(MuntinConf.OverPermissive)

  /** Returns the condition of FILTER and of IGNORE NULLS. */
  def condition(call: UnresolvedFunction): Option[Expression] = {
    val present =
      if (FunctionCall.ignoresNulls(call)) call.arguments.headOption.map(IsNotNull(_)) else None
    (call.filter ++ present).reduceOption(And(_, _))
  }

  /** Returns the value of lag and lead, in a struct, because the value of a row may be null. */
  def shiftedValue(call: UnresolvedFunction): Expression =
    CreateNamedStruct(Seq(Literal("value"), call.arguments.head))

  /** Returns the value in the struct of the row `found`; the default if there is no such row. */
  def orDefault(call: UnresolvedFunction, found: Expression): Expression = If(
    IsNull(found),
    call.arguments.lift(2).getOrElse(Literal(null)),
    UnresolvedExtractValue(found, Literal("value"))
  )
}
