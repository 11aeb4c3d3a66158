package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Unevaluable}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Definition,
  Definitions,
  GroupWindow,
  InvalidArgument,
  SqlFunction
}
import org.apache.spark.sql.types.{BooleanType, DataType}

/**
 * resample: the grid of the rows below. It stands alone in a projection of the rows, or in an
 * aggregate of them, before the aggregates of each step; ResolveResample makes a query of both.
 * `arguments` are those of `Resample.definition` without the table.
 */
final case class ResampleCall(arguments: Seq[Expression]) extends Expression with Unevaluable {
  override def children: Seq[Expression] = arguments

  // What stands above waits for the columns of the grid: a natural join takes them from its sides.
  override lazy val resolved: Boolean = false

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def prettyName: String = Resample.name

  override protected def withNewChildrenInternal(
      newChildren: IndexedSeq[Expression]
  ): ResampleCall = copy(newChildren)
}

/** resample: rows on a grid of times, as a table. */
object Resample extends SqlFunction {
  override def definition: Definition = Definitions.resample

  /** The parameters behind the table. */
  val ofGrid: Seq[InputParameter] = definition.parameters.tail

  // DataFrame code puts a null in the place of the table.
  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Literal(null, _) +: arguments => ResampleCall(arguments)
    case _ => throw noTable
  }

  def noTable: Throwable = InvalidArgument(
    name,
    "FROM",
    "no table; it is one, as in SELECT * FROM resample(TABLE(readings), 'at', '5 minutes', " +
      "fill => 'last')"
  )
}
