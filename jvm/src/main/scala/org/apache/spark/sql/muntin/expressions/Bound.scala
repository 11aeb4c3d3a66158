package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  SqlFunction
}
import org.apache.spark.sql.types.{BooleanType, DataType}

/** True if a row is a bound; see `Bound.definition`. It is in a query only until it is placed. */
final case class Bound(child: Expression) extends UnaryExpression with Unevaluable {
  override val nodePatterns: Seq[TreePattern] = Seq(GroupWindow.Pattern)

  override def dataType: DataType = BooleanType

  override def nullable: Boolean = false

  override def prettyName: String = Bound.name

  override protected def withNewChildInternal(newChild: Expression): Bound = copy(child = newChild)
}

object Bound extends SqlFunction {
  override def definition: Definition = Definitions.bound

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(condition) =>
      val read = new Arguments(name)
      Bound(read.condition("condition", condition).getOrElse(
        throw read.invalidValue("condition", condition, "a BOOLEAN, such as ticker IS NULL")
      ))
  }

  /** Returns the error for a call that is not in WHERE NOT. */
  def misplaced(bound: Bound, place: String): AnalysisException = new Arguments(name).error(
    "MUNTIN_MISPLACED_BOUND",
    "call" -> bound.sql,
    "place" -> place
  )
}
