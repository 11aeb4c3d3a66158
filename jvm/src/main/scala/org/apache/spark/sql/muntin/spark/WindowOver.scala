package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Window}

/** Aggregates over all rows with the same keys, as columns of the rows. */
object WindowOver {
  def apply(aggregates: Seq[(String, Expression)], keys: Seq[Expression], child: LogicalPlan)
      : Window = {
    val all = SpecifiedWindowFrame(RowFrame, UnboundedPreceding, UnboundedFollowing)
    val columns = aggregates.map { case (name, aggregate) =>
      Alias(WindowExpression(aggregate, WindowSpecDefinition(keys, Nil, all)), name)()
    }
    Window(columns, keys, Nil, child)
  }
}
