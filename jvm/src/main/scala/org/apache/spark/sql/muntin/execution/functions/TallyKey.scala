package org.apache.spark.sql.muntin.execution.functions

import io.muntin.kernel.distinct.Tally
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers

/**
 * Which values a tally counts, and which rows have one. Equal keys share one tally of a frame, for
 * all functions that read it.
 */
final case class TallyKey(values: Seq[Expression], marks: Option[Expression], skipsNulls: Boolean) {
  private def canonical =
    ("tally", values.map(_.canonicalized), marks.map(_.canonicalized), skipsNulls)

  def build(frame: FrameBuilder): Tally = frame.accumulator(canonical) {
    val columns = values.map(frame.column).toArray
    val marked = marks.map(frame.column)
    new Tally(frame.memory, columns, marked, skipsNulls, frame.evicts, anyOrder = frame.hasHoles)
  }
}

object TallyKey {

  /** Returns the key for rows that pass the call's filter and have no null among their values. */
  def present(call: Call, values: Seq[Expression]): TallyKey =
    TallyKey(values.map(v => call.masked(normalized(v))), None, skipsNulls = true)

  /** Returns the key for all rows that pass the call's filter. */
  def all(call: Call, values: Seq[Expression]): TallyKey =
    TallyKey(values.map(normalized), call.marks, skipsNulls = false)

  /** Returns the function over values in the form in which a tally keeps them. */
  def normalized(function: AggregateFunction): AggregateFunction =
    function
      .mapChildren(c => if (c.foldable) c else normalized(c))
      .asInstanceOf[AggregateFunction]

  /** One zero, one NaN: among equal values, a tally keeps the value of one row. */
  private def normalized(value: Expression): Expression = NormalizeFloatingNumbers.normalize(value)
}
