package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.muntin.expressions.common.{Arguments, SqlFunction}
import org.apache.spark.sql.types.{DataType, NumericType}

/** An aggregate of the first and the last non-null value of a number. */
abstract class FirstToLast extends DeclarativeAggregate with UnaryLike[Expression] {
  protected final lazy val first: AttributeReference =
    AttributeReference("first", child.dataType)()

  protected final lazy val last: AttributeReference =
    AttributeReference("last", child.dataType)()

  override def dataType: DataType = evaluateExpression.dataType

  override def nullable: Boolean = true

  final override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(first, last)

  final override lazy val initialValues: Seq[Expression] =
    Seq.fill(2)(Literal(null, child.dataType))

  final override lazy val updateExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(first, child)), Coalesce(Seq(child, last)))

  final override lazy val mergeExpressions: Seq[Expression] =
    Seq(Coalesce(Seq(first.left, first.right)), Coalesce(Seq(last.right, last.left)))
}

/** A SQL function with one argument, a number. */
private[expressions] abstract class FirstToLastFunction(make: Expression => FirstToLast)
    extends SqlFunction {
  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x) if x.dataType.isInstanceOf[NumericType] => make(x)
    case Seq(x) =>
      throw new Arguments(name).invalidType("x", x, "a number, such as unix_micros(t)")
  }
}
