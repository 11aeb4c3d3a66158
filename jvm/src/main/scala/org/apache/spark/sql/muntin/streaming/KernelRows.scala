package org.apache.spark.sql.muntin.streaming

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The rows of a group that go to the kernel in this micro-batch, in order. */
trait KernelRows {
  def hasNext: Boolean

  /** Returns the time of the next row. */
  def nextTime: Long

  /** Returns the next row, valid until the next call of `hasNext`. */
  def next(): UnsafeRow
}
