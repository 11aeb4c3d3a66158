package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.muntin.execution.rows.{RowBatch, RowBatches}

/** Returns the rows of stripes in their order, in Spark's row format, with `reserved` fields. */
private[execution] final class StripeBatches(
    layout: Layout,
    stripes: Iterator[Stripe],
    reserved: Int = 0
) extends RowBatches {
  private val rows = new StripeRows(layout)
  rows.reserveFields(reserved)
  // For the current stripe: its rows, and the first row that is in no batch yet.
  private var ofStripe = 0
  private var next0 = 0

  override def hasNext: Boolean = next0 < ofStripe || stripes.hasNext

  override def fill(batch: RowBatch): Unit = {
    if (next0 == ofStripe) {
      val stripe = stripes.next()
      rows.clear()
      rows.add(stripe)
      ofStripe = stripe.rows
      next0 = 0
    }
    next0 = rows.copy(StripeRows.first, next0, ofStripe, batch)
  }
}
