package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.trees.TreePattern.TreePattern
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  GroupWindow,
  InvalidArgument,
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
      Bound(new Arguments(name).condition("condition", condition).getOrElse(
        throw invalid("NULL; expected is a BOOLEAN, such as ticker IS NULL")
      ))
  }

  /** Returns the error for a call that is not in WHERE NOT. */
  def misplaced(bound: Bound, found: String): AnalysisException = invalid(
    s"${bound.child.sql}, in $found; which rows are bounds is said in WHERE, behind NOT and " +
      s"joined to other conditions by AND alone: WHERE NOT ${bound.sql}"
  )

  def invalid(value: String): AnalysisException = InvalidArgument(name, "condition", value)
}
