package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions.EvalMode
import org.apache.spark.sql.catalyst.expressions.aggregate.Sum

/** Overflow modes of arithmetic. */
object Overflow {
  def apply(mode: EvalMode.Value): EvalMode.Value = mode

  def of(sum: Sum): EvalMode.Value = sum.evalMode

  def modeOf(sum: Sum): EvalMode.Value = sum.evalMode
}
