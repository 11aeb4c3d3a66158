package org.apache.spark.sql.muntin.execution.functions

import java.io.{DataInput, DataOutput}

import org.apache.spark.sql.muntin.aggregates.SparkAggregate
import org.apache.spark.sql.muntin.execution.rows.ColumnRow
import io.muntin.kernel.columns.Column
import io.muntin.kernel.merging.{Partials, SavedFold}

/** An aggregate of Spark's over rows of columns; rows whose mark is null are passed over. */
private final class ColumnPartials[F <: AnyRef](
    aggregate: SparkAggregate[F],
    row: ColumnRow,
    marks: Option[Column]
) extends Partials[F]
    with SavedFold {
  private val passing: Column = marks.orNull

  override def zero(): Unit = aggregate.zero()

  override def update(position: Long): Unit =
    if (passing == null || !passing.isNull(position)) aggregate.update(row.at(position))

  override def freeze(): F = aggregate.freeze()

  override def thaw(frozen: F): Unit = aggregate.thaw(frozen)

  override def merge(frozen: F): Unit = aggregate.merge(frozen)

  override def sizeOf(frozen: F): Long = aggregate.sizeOf(frozen)

  override def write(frozen: F, out: DataOutput): Unit = aggregate.write(frozen, out)

  override def read(in: DataInput): F = aggregate.read(in)

  override def updatesMerged: Boolean = aggregate.updatesMerged

  override def isSaved: Boolean = aggregate.isSaved

  override def save(out: DataOutput): Unit = aggregate.save(out)

  override def restore(in: DataInput): Unit = aggregate.restore(in)
}
