package org.apache.spark.sql.muntin.execution.panes

import org.apache.spark.sql.muntin.execution.frames.WindowFunctions
import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameBuilder}
import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.muntin.expressions.common.GroupAggregate
import org.apache.spark.sql.muntin.partials.{
  AccumulatorPartial,
  Partial,
  PartialField,
  ShortSum,
  SumPartialField
}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.DataType

/**
 * A column of a pane's row: a component of a partial, which several functions may share, or a whole
 * partial, if the function's accumulators do not hold its components.
 *
 * @param component
 *   the component's place in the partial; None for the whole partial
 * @param types
 *   one type, or the types of a ShortSum
 */
final case class PaneColumn(
    function: GroupAggregate,
    plan: AggregatePlan,
    component: Option[Int],
    types: Seq[DataType]
) {

  /** Writes the value to the fields from `ordinal` on. */
  def build(frame: FrameBuilder, ordinal: Int): Output = (plan, component) match {
    case (kept: AccumulatorPartial, Some(i)) => kept.field(frame, i, ordinal)
    case _ => plan.build(frame, ordinal)
  }

  /** Returns the value, read from the columns that hold it. */
  def read(columns: Seq[Expression]): Expression =
    if (columns.size == 1) columns.head else ShortSum(columns(0), columns(1), columns(2))
}

object PaneColumns {

  /**
   * Returns all columns for these partials, and for each partial the columns that hold its
   * components.
   */
  def of(partials: Seq[GroupAggregate]): (Seq[PaneColumn], Seq[Seq[PaneColumn]]) = {
    val columns = scala.collection.mutable.LinkedHashMap.empty[Any, PaneColumn]
    val read = partials.map { aggregate =>
      val partial = PaneColumns.partial(aggregate)
      val plan = WindowFunctions
        .plan(aggregate.aggregated)
        .getOrElse(throw new IllegalStateException(s"not planned: $aggregate"))
      val inputs = partial.children.map(_.canonicalized)
      val filter = aggregate.filter.map(_.canonicalized)
      plan match {
        case _: AccumulatorPartial =>
          partial.layout.partialFields.zipWithIndex.map { case (c, i) =>
            val key: (String, DataType, Seq[Expression], Option[Expression]) =
              (c.name, c.dataType, inputs, filter)
            columns.getOrElseUpdate(key, PaneColumn(aggregate, plan, Some(i), typesOf(c)))
          }
        case _ =>
          val whole = PaneColumn(aggregate, plan, None, Seq(aggregate.dataType))
          Seq(columns.getOrElseUpdate(aggregate.canonicalized, whole))
      }
    }
    (columns.values.toVector, read)
  }

  private def typesOf(component: PartialField): Seq[DataType] = component match {
    case SumPartialField(_, ShortSum.Kind, _) => ShortSum.types
    case other => Seq(other.dataType)
  }

  def partial(aggregate: GroupAggregate): Partial = aggregate.function match {
    case partial: Partial => partial
    case other => throw new IllegalStateException(s"no partial: $other")
  }
}
