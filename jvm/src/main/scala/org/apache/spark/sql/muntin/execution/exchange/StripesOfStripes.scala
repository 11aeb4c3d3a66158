package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.unsafe.Platform

/**
 * Distributes the rows of stripes to partitions again. `partitionsOf` writes the partition of each
 * row of a stripe.
 */
private[execution] final class StripesOfStripes(
    stripes: Iterator[Stripe],
    layout: Layout,
    partitions: Int,
    partitionsOf: (Stripe, Array[Int]) => Unit
) extends StripeDistributor(layout, partitions) {
  private val partitionOfRow = new Array[Int](Stripe.MostRows)
  private var stripe: Stripe = _
  private var next0 = 0

  override protected def step(): Boolean = {
    if ((stripe == null || next0 == stripe.rows) && stripes.hasNext) {
      stripe = stripes.next()
      partitionsOf(stripe, partitionOfRow)
      next0 = 0
    }
    stripe != null && next0 < stripe.rows && {
      takeIn(math.min(mostRows, stripe.rows - next0))
      stepped()
      true
    }
  }

  private def takeIn(rows: Int): Unit = {
    System.arraycopy(partitionOfRow, next0, ids, 0, rows)
    findPlaces(rows, varyingBytes(rows))
    var c = 0
    while (c < layout.size) {
      if (stripe.nulls(c) != null) addNulls(c, rows)
      val width = layout.widths(c)
      if (width == 0) addVarying(c, rows)
      else if (width == 8) addLongs(stripe.values(c), builders.ofColumn(c), rows)
      else addSmall(stripe.values(c), width, builders.ofColumn(c), rows)
      c += 1
    }
    addedAll()
    next0 += rows
  }

  private def varyingBytes(rows: Int): Long = {
    var sum = 0L
    var c = 0
    while (c < layout.size) {
      if (layout.widths(c) == 0) sum += stripe.bytesOf(c, next0, next0 + rows)
      c += 1
    }
    sum
  }

  private def addNulls(c: Int, rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      if (stripe.isNull(c, next0 + i)) builders.setNull(c, ids(i), places(i))
      i += 1
    }
  }

  private def addLongs(from: Array[Byte], to: Array[Array[Byte]], rows: Int): Unit = {
    val start = Platform.BYTE_ARRAY_OFFSET.toLong
    var i = 0
    while (i < rows) {
      val value = Platform.getLong(from, start + 8L * (next0 + i))
      Platform.putLong(to(ids(i)), start + 8L * places(i), value)
      i += 1
    }
  }

  private def addSmall(
      from: Array[Byte],
      width: Int,
      to: Array[Array[Byte]],
      rows: Int
  ): Unit = {
    var i = 0
    while (i < rows) {
      System.arraycopy(from, width * (next0 + i), to(ids(i)), width * places(i), width)
      i += 1
    }
  }

  private def addVarying(c: Int, rows: Int): Unit = {
    var i = 0
    while (i < rows) {
      val start = stripe.start(c, next0 + i)
      val bytes = stripe.end(c, next0 + i) - start
      val at = builders.append(c, ids(i), places(i), bytes)
      System.arraycopy(stripe.values(c), start, builders.ofColumn(c)(ids(i)), at, bytes)
      i += 1
    }
  }
}
