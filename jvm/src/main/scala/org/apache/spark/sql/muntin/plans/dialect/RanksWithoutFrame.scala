package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.OverCall

/**
 * Drops the frame of ranks, lag and lead, as the standard requires. With
 * spark.muntin.over.permissive this includes frames that Spark's parser supports, but Spark
 * rejects.
 */
private[plans] object RanksWithoutFrame extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    function match {
      case call: UnresolvedFunction if WindowCalls.isRank(call) =>
        val unmarked = FrameMark.unapply(spec).map(_._2)
        val hasFrame = WindowCalls.isPermissive && spec.frameSpecification != UnspecifiedFrame
        unmarked.orElse(if (hasFrame) Some(spec) else None)
          .map(clause => OverCall(call, clause.copy(frameSpecification = UnspecifiedFrame)))
      case _ => None
    }
}
