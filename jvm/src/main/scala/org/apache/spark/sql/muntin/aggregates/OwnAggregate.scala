package org.apache.spark.sql.muntin.aggregates

import io.muntin.kernel.MergeableState
import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.{OwnPartials, Partials}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * An aggregate of Muntin's whose state is the kernel's in every operator. Spark's operators run it
 * row by row; Muntin's read columns.
 */
trait OwnAggregate[S <: MergeableState[S]] extends StateAggregate[S] {

  /** What it reads of a row, in types that columns have. */
  def inputs: Seq[Expression]

  /** The aggregate over rows of such columns; rows whose mark is null are not there. */
  final def over(columns: Seq[Column], marks: Option[Column]): OwnRun = {
    val folded = partials(columns, marks)
    new OwnRun(folded) {
      override def write(target: InternalRow, ordinal: Int): Unit =
        OwnAggregate.this.write(folded.hand, target, ordinal)
    }
  }

  protected def partials(columns: Seq[Column], marks: Option[Column]): OwnPartials[S]

  /** Writes the result, or null, to a field. */
  protected def write(state: S, target: InternalRow, ordinal: Int): Unit
}

/** An aggregate over columns: its partials, and the result of the one in hand. */
abstract class OwnRun(val partials: Partials[_ <: AnyRef]) {
  def write(target: InternalRow, ordinal: Int): Unit
}
