package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.muntin.execution.rows.{RowBatch, RowBatches}

/** The rows of stripes in their order, byte by byte as Spark has them, with `reserved` fields. */
private[execution] final class StripeBatches(
    layout: Layout,
    stripes: Iterator[Stripe],
    reserved: Int = 0
) extends RowBatches {
  private val rows = new StripeRows(layout)
  rows.reserveFields(reserved)
  // Of the stripe that is read: its rows, and the first that no batch had.
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
