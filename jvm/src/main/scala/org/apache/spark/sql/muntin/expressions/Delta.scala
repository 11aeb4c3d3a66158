package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.muntin.expressions.common.{Definition, Definitions}
import org.apache.spark.sql.muntin.spark.Arithmetic

/** The last non-null value of `child` minus its first; see `Delta.definition`. */
final case class Delta(child: Expression) extends FirstToLast {
  override def prettyName: String = Delta.name

  override lazy val evaluateExpression: Expression = Arithmetic.difference(last, first)

  override protected def withNewChildInternal(newChild: Expression): Delta = copy(child = newChild)
}

object Delta extends FirstToLastFunction(new Delta(_)) {
  override def definition: Definition = Definitions.delta
}
