package org.apache.spark.sql.muntin.execution

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

/** Tells where one partition of the sorted rows ends and the next begins. */
final class PartitionChanges(partitionSpec: Seq[Expression], childOutput: Seq[Attribute]) {
  private val keyOf = UnsafeProjection.create(partitionSpec, childOutput)
  private val binary = partitionSpec.forall(e => UnsafeRowUtils.isBinaryStable(e.dataType))
  private val order = InterpretedOrdering.forSchema(partitionSpec.map(_.dataType))
  private var current: UnsafeRow = _

  /** The keys of the row that was asked about last. */
  def key: UnsafeRow = current

  /** Whether the row is the first of another partition than the last row that was asked about. */
  def isNew(row: UnsafeRow): Boolean = {
    val next = keyOf(row)
    val same = current != null &&
      (if (binary) next.equals(current) else order.compare(next, current) == 0)
    if (!same) current = next.copy()
    !same
  }
}
