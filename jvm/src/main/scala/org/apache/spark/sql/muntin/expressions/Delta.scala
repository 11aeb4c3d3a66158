package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  SqlFunction
}
import org.apache.spark.sql.muntin.spark.Arithmetic
import org.apache.spark.sql.types.{DataType, NumericType}

/** The last non-null value of `child` minus its first; see `Delta.definition`. */
final case class Delta(child: Expression)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {
  override def prettyName: String = Delta.name

  override def dataType: DataType = evaluateExpression.dataType

  override def nullable: Boolean = true

  private lazy val first = AttributeReference("first", child.dataType)()
  private lazy val last = AttributeReference("last", child.dataType)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(first, last)

  override lazy val initialValues: Seq[Expression] =
    Seq.fill(2)(Literal(null, child.dataType))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(first, child)), Coalesce(Seq(child, last)))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(first.left, first.right)), Coalesce(Seq(last.right, last.left)))

  override lazy val evaluateExpression: Expression = Arithmetic.difference(last, first)

  override protected def withNewChildInternal(newChild: Expression): Delta = copy(child = newChild)
}

object Delta extends SqlFunction {
  override def definition: Definition = Definitions.delta

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x) if x.dataType.isInstanceOf[NumericType] => Delta(x)
    case Seq(x) =>
      throw new Arguments(name).invalidType("x", x, "a number, such as unix_micros(t)")
  }
}
