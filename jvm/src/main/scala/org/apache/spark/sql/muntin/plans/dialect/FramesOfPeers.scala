package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}

/**
 * Supports RANGE … CURRENT ROW without ORDER BY, which Spark rejects: all rows of the partition are
 * peers.
 */
private[plans] object FramesOfPeers extends WindowRule {
  private val whole = FrameBetween(RowFrame, UnboundedPreceding, UnboundedFollowing)

  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    spec.frameSpecification match {
      case FrameBetween(
            RangeFrame,
            CurrentRow | UnboundedPreceding,
            CurrentRow | UnboundedFollowing
          ) if spec.orderSpec.isEmpty && !RanksWithoutOrder.lacksOrder(function, spec) =>
        Some(OverCall(function, spec.copy(frameSpecification = whole)))
      case _ => None
    }
}
