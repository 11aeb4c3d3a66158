package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Count}
import org.apache.spark.sql.muntin.expressions.common._
import org.apache.spark.sql.muntin.spark.{FrameBetween, OverCall}

/** Returns true if the ROWS frame of a window function lies completely inside the partition. */
object IsComplete extends SqlFunction {
  override def definition: Definition = Definitions.isComplete

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(column) => complete(column)
  }

  private def complete(column: Expression): Expression = column match {
    case Alias(child, _) => complete(child)
    case window @ OverCall(aggregate: AggregateExpression, spec) =>
      spec.frameSpecification match {
        case FrameBetween(RowFrame, _, _) =>
        case _ =>
          throw new Arguments(name).error(
            "MUNTIN_NOT_A_ROWS_FRAME",
            "aggregate" -> aggregate.sql,
            "frame" -> FrameText(spec)
          )
      }
      val rows = Aggregated(Count(Literal(1)), isDistinct = false, None)
      val closed = aggregate.aggregateFunction match {
        case UnplacedMovingAggregate(changed: Framed) => changed.closed
        case _ => Framed.Both
      }
      val framed = Framed(rows, closed, None, Framed.NoOthers, complete = true, None, None)
      IsNotNull(window.copy(windowFunction =
        UnplacedMovingAggregate(framed).toAggregateExpression()
      ))
    case other => throw new Arguments(name).notAWindow(other)
  }
}
