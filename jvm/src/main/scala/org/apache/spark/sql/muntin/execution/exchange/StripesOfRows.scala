package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** Builds stripes from rows, if the operator below the exchange has no columns. */
private[exchange] final class StripesOfRows(
    rows: Iterator[InternalRow],
    layout: Layout,
    partitions: Int,
    partitionOf: PartitionOfRow
) extends Stripes(layout, partitions) {
  override protected def step(): Boolean = rows.hasNext && {
    var left = StripesOfRows.RowsOfStep
    while (left > 0 && rows.hasNext) {
      add(rows.next().asInstanceOf[UnsafeRow])
      left -= 1
    }
    stepped()
    true
  }

  private def add(row: UnsafeRow): Unit = {
    val partition = partitionOf(row)
    makeRoom(partition, 1, if (layout.isFixed) 0L else row.getSizeInBytes.toLong)
    builders.add(partition, row)
    added(partition)
  }
}

private object StripesOfRows {
  private val RowsOfStep = 1024
}
