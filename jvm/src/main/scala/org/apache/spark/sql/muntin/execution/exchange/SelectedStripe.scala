package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.unsafe.Platform

/** Selects some rows of a stripe, in their order, as a separate stripe. */
private[execution] object SelectedStripe {

  /** Returns the first `count` of `rows`: their numbers in the stripe, which ascend. */
  def apply(of: Stripe, layout: Layout, rows: Array[Int], count: Int): Stripe = {
    val values = new Array[Array[Byte]](layout.size)
    val nulls = new Array[Array[Byte]](layout.size)
    val ends = new Array[Array[Byte]](layout.size)
    var c = 0
    while (c < layout.size) {
      if (of.nulls(c) != null) nulls(c) = bits(of.nulls(c), rows, count)
      val width = layout.widths(c)
      if (width > 0) values(c) = fixed(of.values(c), width, rows, count)
      else {
        ends(c) = endsOf(of, c, rows, count)
        values(c) = varying(of, c, rows, count, Stripe.int(ends(c), count - 1))
      }
      c += 1
    }
    new Stripe(count, values, nulls, ends)
  }

  private def bits(from: Array[Byte], rows: Array[Int], count: Int): Array[Byte] = {
    val bits = new Array[Byte](Stripe.bytesOfBits(count))
    var i = 0
    while (i < count) {
      if (Stripe.isSet(from, rows(i))) Stripe.set(bits, i)
      i += 1
    }
    bits
  }

  private def fixed(from: Array[Byte], width: Int, rows: Array[Int], count: Int): Array[Byte] = {
    val to = new Array[Byte](count * width)
    val start = Platform.BYTE_ARRAY_OFFSET.toLong
    var i = 0
    if (width == 8) {
      while (i < count) {
        Platform.putLong(to, start + 8L * i, Platform.getLong(from, start + 8L * rows(i)))
        i += 1
      }
    } else if (width == 4) {
      while (i < count) {
        Platform.putInt(to, start + 4L * i, Platform.getInt(from, start + 4L * rows(i)))
        i += 1
      }
    } else {
      while (i < count) {
        System.arraycopy(from, width * rows(i), to, width * i, width)
        i += 1
      }
    }
    to
  }

  private def endsOf(of: Stripe, c: Int, rows: Array[Int], count: Int): Array[Byte] = {
    val ends = new Array[Byte](count * 4)
    var end = 0
    var i = 0
    while (i < count) {
      end += of.end(c, rows(i)) - of.start(c, rows(i))
      Platform.putInt(ends, Platform.BYTE_ARRAY_OFFSET + 4L * i, end)
      i += 1
    }
    ends
  }

  private def varying(
      of: Stripe,
      c: Int,
      rows: Array[Int],
      count: Int,
      size: Int
  ): Array[Byte] = {
    val to = new Array[Byte](size)
    var at = 0
    var i = 0
    while (i < count) {
      val start = of.start(c, rows(i))
      val bytes = of.end(c, rows(i)) - start
      System.arraycopy(of.values(c), start, to, at, bytes)
      at += bytes
      i += 1
    }
    to
  }
}
