package org.apache.spark.sql.muntin.expressions

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.muntin.expressions.common.{
  Arguments,
  Definition,
  Definitions,
  SqlFunction,
  UnplacedMovingAggregate
}
import org.apache.spark.sql.muntin.spark.{CollectNonNull, OverCall}

/** The values of an expression in the rows of an aggregate's window in an OVER clause. */
object WindowRows extends SqlFunction {
  override def definition: Definition = Definitions.windowRows

  override protected def build: PartialFunction[Seq[Expression], Expression] = {
    case Seq(column, value) => rows(column, value)
  }

  private def rows(column: Expression, value: Expression): Expression = column match {
    case Alias(child, _) => rows(child, value)
    case window @ OverCall(aggregate: AggregateExpression, _) =>
      val list = CollectNonNull(value)
      val function = aggregate.aggregateFunction match {
        case UnplacedMovingAggregate(moving) =>
          UnplacedMovingAggregate(moving.withAggregate(list))
        case _ => list
      }
      window.copy(windowFunction =
        aggregate.copy(aggregateFunction = function, isDistinct = false)
      )
    case other => throw new Arguments(name).notAWindow(other)
  }
}
