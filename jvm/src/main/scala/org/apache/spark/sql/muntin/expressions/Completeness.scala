package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.muntin.expressions.common.{Definition, Definitions, SqlFunction}
import org.apache.spark.sql.types.{DataType, DoubleType, LongType}

/** The share of rows in which `child` is not null; see `Completeness.definition`. */
final case class Completeness(child: Expression)
    extends DeclarativeAggregate
    with UnaryLike[Expression] {
  override def prettyName: String = Completeness.name

  override def dataType: DataType = DoubleType

  override def nullable: Boolean = true

  /** Returns 1 if there is a value, otherwise 0. The average is the share. */
  def presence: Expression = If(IsNull(child), Literal(0), Literal(1))

  private lazy val present = AttributeReference("present", LongType, nullable = false)()
  private lazy val rows = AttributeReference("rows", LongType, nullable = false)()

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(present, rows)

  override lazy val initialValues: Seq[Expression] = Seq(Literal(0L), Literal(0L))

  override lazy val updateExpressions: Seq[Expression] =
    Seq(If(IsNull(child), present, Add(present, Literal(1L))), Add(rows, Literal(1L)))

  override lazy val mergeExpressions: Seq[Expression] =
    Seq(Add(present.left, present.right), Add(rows.left, rows.right))

  override lazy val evaluateExpression: Expression =
    If(
      EqualTo(rows, Literal(0L)),
      Literal(null, DoubleType),
      Divide(Cast(present, DoubleType), Cast(rows, DoubleType))
    )

  override protected def withNewChildInternal(newChild: Expression): Completeness =
    copy(child = newChild)
}

object Completeness extends SqlFunction {
  override def definition: Definition = Definitions.completeness

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(x) => Completeness(x)
  }
}
