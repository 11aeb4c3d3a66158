package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, Unevaluable}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  SqlFunction
}
import org.apache.spark.sql.types.{BooleanType, DataType}

/**
 * resample: the grid of the rows below. It is the only output of a projection of the rows, or
 * precedes the aggregates of each step in an Aggregate. ResolveResample replaces both by a query.
 * `arguments` are the arguments of `Resample.definition` without the table.
 */
final case class ResampleCall(arguments: Seq[Expression]) extends Expression with Unevaluable {
  override def children: Seq[Expression] = arguments

  // Nodes above must wait for the columns of the grid: a natural join takes its columns from its
  // sides.
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

  /** The parameters after the table. */
  val ofGrid: Seq[InputParameter] = definition.parameters.tail

  // DataFrame code passes a null in place of the table.
  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Literal(null, _) +: arguments => ResampleCall(arguments)
    case _ => throw noTable
  }

  def noTable: Throwable = new Arguments(name).error(
    "MUNTIN_MISPLACED_TABLE_FUNCTION",
    "place" -> "an expression",
    "example" -> "SELECT * FROM resample(TABLE(readings), 'at', '5 minutes', fill => 'last')"
  )
}
