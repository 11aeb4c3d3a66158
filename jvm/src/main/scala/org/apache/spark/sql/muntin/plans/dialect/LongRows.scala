package org.apache.spark.sql.muntin.plans.dialect

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.muntin.expressions.common.KnownInteger
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}
import org.apache.spark.sql.types.LongType

/** Supports a BIGINT offset in ROWS, where Spark requires an INT. */
private[plans] object LongRows extends WindowRule {
  override def apply(function: Expression, spec: WindowSpecDefinition): Option[Expression] =
    spec.frameSpecification match {
      case FrameBetween(RowFrame, lower, upper) if areIn(spec) =>
        val frame = FrameBetween(RowFrame, asInt(lower), asInt(upper))
        Some(OverCall(function, spec.copy(frameSpecification = frame)))
      case _ => None
    }

  def areIn(spec: WindowSpecDefinition): Boolean = spec.frameSpecification match {
    case FrameBetween(RowFrame, lower, upper) => Seq(lower, upper).exists {
        case bound @ KnownInteger(_) => bound.dataType == LongType
        case _ => false
      }
    case _ => false
  }

  private def asInt(bound: Expression): Expression = bound match {
    case KnownInteger(rows) => Literal(KnownInteger.ofRows(rows))
    case other => other
  }
}
