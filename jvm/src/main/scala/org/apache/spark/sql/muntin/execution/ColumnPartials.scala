package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.{Column, Partials}

/** An aggregate of Spark's over the rows of columns; rows whose mark is null do not take part. */
private final class ColumnPartials[F <: AnyRef](
    aggregate: SparkAggregate[F],
    row: ColumnRow,
    marks: Option[Column]
) extends Partials[F] {
  private val passing: Column = marks.orNull

  override def zero(): Unit = aggregate.zero()

  override def update(position: Long): Unit =
    if (passing == null || !passing.isNull(position)) aggregate.update(row.at(position))

  override def freeze(): F = aggregate.freeze()

  override def thaw(frozen: F): Unit = aggregate.thaw(frozen)

  override def merge(frozen: F): Unit = aggregate.merge(frozen)

  override def sizeOf(frozen: F): Long = aggregate.sizeOf(frozen)

  override def updatesMerged: Boolean = aggregate.updatesMerged
}
