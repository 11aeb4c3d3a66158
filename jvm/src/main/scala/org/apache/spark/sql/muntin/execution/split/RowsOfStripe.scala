package org.apache.spark.sql.muntin.execution.split

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.exchange.{Layout, Stripe, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.RowBatch

/** Reads rows of stripes one by one, only the columns for which `isRead` is true. */
private[split] final class RowsOfStripe(layout: Layout, isRead: Int => Boolean) {
  private val rows = new StripeRows(layout)
  rows.leaveOut((0 until layout.size).filterNot(isRead))
  private val batch = new RowBatch
  private val row = new UnsafeRow(layout.size)
  private var numbers: Array[Int] = _
  private var at = 0
  private var until = 0

  /** Begins with a stripe, to read the rows with the first `count` of `numbers`. */
  def begin(stripe: Stripe, numbers: Array[Int], count: Int): Unit = {
    rows.clear()
    rows.add(stripe)
    this.numbers = numbers
    at = 0
    until = count
  }

  /** Begins with a stripe, to read all rows. */
  def begin(stripe: Stripe): Unit = begin(stripe, StripeRows.first, stripe.rows)

  /** Returns the next row, which is valid until the next call. */
  def next(): UnsafeRow = {
    if (!batch.hasNext) at = rows.copy(numbers, at, until, batch)
    batch.advance(row)
    row
  }
}
