package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.muntin.expressions.common.{Definition, Definitions}
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types.{DecimalType, DoubleType, IntegralType}

/** The relative change from the first non-null value to the last; see `PctChange.definition`. */
final case class PctChange(child: Expression) extends FirstToLast {
  override def prettyName: String = PctChange.name

  // The difference of whole numbers is exact.
  private def exact(value: Expression): Expression = child.dataType match {
    case _: IntegralType => Cast(value, DecimalType.BigIntDecimal)
    case _ => value
  }

  override lazy val evaluateExpression: Expression = Arithmetic.divide(
    Cast(Arithmetic.difference(exact(last), exact(first)), DoubleType),
    Cast(first, DoubleType)
  )

  override protected def withNewChildInternal(newChild: Expression): PctChange =
    copy(child = newChild)
}

object PctChange extends FirstToLastFunction(new PctChange(_)) {
  override def definition: Definition = Definitions.pctChange
}
