package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.catalyst.plans.logical.InputParameter

/** Whether the ROWS frame of a window function lies wholly inside the partition. */
object IsComplete extends SqlFunction {
  override val name: String = "is_complete"

  override val parameters: Seq[InputParameter] = Seq(required("column"))

  override val usage: String =
    """
      _FUNC_(column) - Returns true where the frame of column, an aggregate OVER a ROWS frame, lies
      wholly inside the partition, else false; whatever the value of column. An end that framed's
      closed leaves out may be missing.
    """

  override val example: SqlFunction.Example = SqlFunction.Example(
    "SELECT is_complete(sum(x) OVER (ORDER BY t ROWS 1 PRECEDING)) " +
      "FROM VALUES (1, 5), (2, 2), (3, 13) AS d(t, x)",
    "false",
    "true",
    "true"
  )

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(column) => complete(column)
  }

  private def complete(column: Expression): Expression = column match {
    case Alias(child, _) => complete(child)
    case window @ WindowExpression(aggregate: AggregateExpression, spec) =>
      spec.frameSpecification match {
        case SpecifiedWindowFrame(RowFrame, _, _) =>
        case _ => throw invalid(s"the frame of ${aggregate.sql} is ${FrameText(spec)}")
      }
      val rows = Aggregated(Count(Literal(1)), isDistinct = false, None)
      val closed = aggregate.aggregateFunction match {
        case Unplaced(changed: Framed) => changed.closed
        case _ => Framed.Both
      }
      val framed = Framed(rows, closed, None, Framed.NoOthers, complete = true)
      IsNotNull(window.copy(windowFunction = Unplaced(framed).toAggregateExpression()))
    case other => throw invalid(other.sql)
  }

  private def invalid(found: String) = InvalidArgument(
    name,
    "column",
    s"$found; expected is an aggregate OVER a ROWS frame, such as " +
      "sum(x) OVER (ORDER BY t ROWS 2 PRECEDING)"
  )
}
