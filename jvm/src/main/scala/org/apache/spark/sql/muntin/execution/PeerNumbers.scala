package org.apache.spark.sql.muntin.execution

import io.muntin.kernel.LongColumn
import org.apache.spark.sql.catalyst.expressions._

/** Numbers the peers of a partition as its rows arrive: one more at each change of the row time. */
final class PeerNumbers(
    orderSpec: Seq[SortOrder],
    childOutput: Seq[Attribute],
    val numbers: LongColumn
) {
  private val order = RowOrdering.create(orderSpec, childOutput)
  private val previous = UnsafeRow.createFromByteArray(64, childOutput.size)
  private var number = -1L

  def startPartition(): Unit = {
    numbers.clear()
    number = -1L
  }

  def append(row: UnsafeRow): Unit = {
    if (number < 0 || order.compare(previous, row) != 0) number += 1
    numbers.append(number)
    previous.copyFrom(row)
  }
}
