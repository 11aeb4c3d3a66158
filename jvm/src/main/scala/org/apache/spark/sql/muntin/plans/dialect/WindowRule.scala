package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}

/** A rule of StandardWindows, for a function and its OVER clause. */
private[muntin] trait WindowRule {

  /** Returns the replacement of the window; None if the rule does not apply to it. */
  def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression]
}
