package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.{EvalMode, NumericEvalContext}
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** Overflow modes of arithmetic. */
object Overflow {
  def apply(mode: EvalMode.Value): NumericEvalContext = NumericEvalContext(mode)

  def of(sum: Sum): NumericEvalContext = sum.evalContext

  def modeOf(sum: Sum): EvalMode.Value = sum.evalContext.evalMode
}
