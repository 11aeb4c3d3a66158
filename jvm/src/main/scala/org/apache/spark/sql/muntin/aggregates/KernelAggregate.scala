package org.apache.spark.sql.muntin.aggregates

import io.muntin.kernel.MergeableState
import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.{KernelPartials, Partials}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression

/**
 * An aggregate of Muntin that uses a kernel state in every operator. Spark's operators run it row
 * by row; Muntin's operators read columns.
 */
trait KernelAggregate[S <: MergeableState[S]] extends StateAggregate[S] {

  /** Returns the expressions that it reads from a row, in types that columns support. */
  def inputs: Seq[Expression]

  /** Returns the aggregate over rows of such columns; rows whose mark is null are ignored. */
  final def overColumns(columns: Seq[Column], marks: Option[Column]): KernelAggregateRun = {
    val folded = partials(columns, marks)
    new KernelAggregateRun(folded) {
      override def write(target: InternalRow, ordinal: Int): Unit =
        KernelAggregate.this.write(folded.current, target, ordinal)
    }
  }

  protected def partials(columns: Seq[Column], marks: Option[Column]): KernelPartials[S]

  /** Writes the result, or null, to a field. */
  protected def write(state: S, target: InternalRow, ordinal: Int): Unit
}

/** An aggregate over columns: its partials, and the result of the current one. */
abstract class KernelAggregateRun(val partials: Partials[_ <: AnyRef]) {
  def write(target: InternalRow, ordinal: Int): Unit
}
