package org.apache.spark.sql.muntin.execution.sort

import scala.collection.mutable

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.muntin.execution.exchange.{Layout, Stripe, StripeRows}
import org.apache.spark.sql.muntin.execution.rows.RowBatch

/**
 * Stripes whose rows are sorted; they stay in their order of arrival. The address of a row is the
 * number of its stripe and its number in the stripe.
 */
private[execution] final class StripePages(
    layout: Layout,
    memory: Memory,
    ties: StripeOrder = null
) extends RowStore {
  private val rows = new StripeRows(layout)
  // For comparing rows.
  private val stripes = mutable.ArrayBuffer.empty[Stripe]
  private var held = 0L

  override def isFull: Boolean = rows.size == StripePages.MostStripes

  /**
   * Adds a stripe, and returns the address of its first row. If memory is refused, nothing has
   * changed.
   */
  def add(stripe: Stripe): Int = {
    val bytes = stripe.bytes + StripePages.BytesPerStripe
    memory.acquire(bytes)
    held += bytes
    rows.add(stripe)
    if (ties != null) stripes += stripe
    (rows.size - 1) << Stripe.RowBits
  }

  override def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int =
    rows.copy(addresses, first, until, to)

  /** Stops copying columns of a fixed size: another writer fills their fields. */
  def leaveOut(columns: Seq[Int]): Unit = rows.leaveOut(columns)

  /** Returns how many bytes of a row precede its fields. */
  def bitBytes: Int = rows.bitBytes

  override def reserveFields(fields: Int): Unit = rows.reserveFields(fields)

  override def compare(one: Int, other: Int): Int = ties.compare(
    stripes(one >>> Stripe.RowBits),
    one & Stripe.RowMask,
    stripes(other >>> Stripe.RowBits),
    other & Stripe.RowMask
  )

  override def free(): Unit = {
    stripes.clear()
    rows.free()
    memory.release(held)
    held = 0L
  }
}

private object StripePages {
  private val MostStripes = 1 << (32 - Stripe.RowBits)
  // The arrays' headers, and the references to them.
  private val BytesPerStripe = 256L
}
