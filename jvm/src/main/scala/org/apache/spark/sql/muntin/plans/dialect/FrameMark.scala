package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, WindowSpecDefinition}
import org.apache.spark.sql.muntin.parsing.StandardWords

/**
 * The parts of a frame that Spark's parser does not support: GROUPS, EXCLUDE, and offsets that are
 * expressions of the row. The mark is the last expression of ORDER BY. StandardWords adds it, or
 * `over` in Python and Scala.
 */
private[plans] final class FrameMark(
    val kind: String,
    val exclude: Expression,
    val ends: Seq[Expression]
) {
  def isGroups: Boolean = kind == "groups"
}

private[plans] object FrameMark {

  /** Returns the mark, and the clause without it. */
  def unapply(spec: WindowSpecDefinition): Option[(FrameMark, WindowSpecDefinition)] =
    spec.orderSpec.lastOption.map(_.child).collect {
      case call: UnresolvedFunction if call.nameParts == Seq(StandardWords.Mark) =>
        val markArguments = call.arguments
        val mark =
          new FrameMark(markArguments.head.toString, markArguments(1), markArguments.drop(2))
        (mark, spec.copy(orderSpec = spec.orderSpec.init))
    }
}
