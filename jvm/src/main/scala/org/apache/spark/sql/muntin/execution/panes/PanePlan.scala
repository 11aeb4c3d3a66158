package org.apache.spark.sql.muntin.execution.panes

import org.apache.spark.sql.muntin.execution.functions.{AggregatePlan, FrameBuilder}
import org.apache.spark.sql.muntin.execution.rows.Output
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.types.DataType

/**
 * How a task aggregates rows by pane: the keys; the output of a pane, which is bounds of the
 * window's order, then columns of partials, with these types; and the most rows in a chunk.
 */
final case class PanePlan(
    keys: Seq[Attribute],
    pane: Expression,
    bounds: Seq[AggregatePlan],
    columns: Seq[PaneColumn],
    types: Seq[DataType],
    chunkRows: Int
) {
  def outputs(frame: FrameBuilder): Array[Output] = {
    val places = columns.scanLeft(bounds.size)((place, c) => place + c.types.size)
    (bounds.zipWithIndex.map { case (b, i) => b.build(frame, i) } ++
      columns.zip(places).map { case (c, place) => c.build(frame, place) }).toArray
  }
}
