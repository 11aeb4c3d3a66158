package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{RowBatch, RowBytes}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

/**
 * Builds rows in Spark's format from stripes: it gathers them from any stripes, column by column,
 * up to `RowBatch.MostRows` at a time.
 *
 * @param columns
 *   the columns of the stripes that the rows have, among the columns of `layout`
 */
private[execution] final class StripeRows(layout: Layout, columns: Array[Int]) {
  def this(layout: Layout) = this(layout, Array.range(0, layout.size))

  private val fields = columns.length
  private var nullBytes = 0
  private var fixedBytes = 0
  reserveFields(0)

  // By column and stripe, so that gathering a column takes few steps.
  private val values = Array.fill(fields)(new Array[Array[Byte]](StripeRows.FewStripes))
  private val nulls = Array.fill(fields)(new Array[Array[Byte]](StripeRows.FewStripes))
  private val ends = Array.fill(fields)(new Array[Array[Byte]](StripeRows.FewStripes))
  private val codes = Array.fill(fields)(new Array[Array[Byte]](StripeRows.FewStripes))
  private val anyNull = new Array[Boolean](fields)
  private val isLeftOut = new Array[Boolean](fields)
  // The variable-length columns that have a value with bytes, in any stripe.
  private val anyBytes = new Array[Boolean](fields)
  private var count = 0

  // The place of the next variable-length value, for each row of a batch.
  private val tails = new Array[Int](RowBatch.MostRows)

  /** Copies rows with `more` reserved fields, non-null and undefined, from now on. */
  def reserveFields(more: Int): Unit = {
    nullBytes = UnsafeRow.calculateBitSetWidthInBytes(fields + more)
    fixedBytes = nullBytes + 8 * (fields + more)
  }

  /** Returns how many bytes of a row precede its fields. */
  def bitBytes: Int = nullBytes

  /** Returns the number of stripes. */
  def size: Int = count

  /** Adds a stripe; its rows have the addresses from `size << RowBits` on. */
  def add(stripe: Stripe): Unit = {
    if (count == (if (fields == 0) Int.MaxValue else values(0).length)) grow()
    var f = 0
    while (f < fields) {
      values(f)(count) = stripe.values(columns(f))
      nulls(f)(count) = stripe.nulls(columns(f))
      ends(f)(count) = stripe.ends(columns(f))
      codes(f)(count) = stripe.codes(columns(f))
      if (nulls(f)(count) != null) anyNull(f) = true
      if (layout.widths(columns(f)) == 0)
        anyBytes(f) |= layout.isReserved(columns(f)) || stripe.hasBytes(columns(f))
      f += 1
    }
    count += 1
  }

  /** Stops copying some fields, because another writer fills them or they are never read. */
  def leaveOut(some: Seq[Int]): Unit = some.foreach(isLeftOut(_) = true)

  /** Returns true if all rows take the same number of bytes. */
  private def isFixed: Boolean = {
    var f = 0
    while (f < fields && (isLeftOut(f) || !anyBytes(f))) f += 1
    f == fields
  }

  private def grow(): Unit = Seq(values, nulls, ends, codes).foreach { ofFields =>
    ofFields.indices.foreach(f => ofFields(f) = java.util.Arrays.copyOf(ofFields(f), count * 2))
  }

  /** Makes the next stripe the first again. */
  def clear(): Unit = {
    java.util.Arrays.fill(anyNull, false)
    java.util.Arrays.fill(anyBytes, false)
    count = 0
  }

  /** Releases the stripes. */
  def free(): Unit = {
    Seq(values, nulls, ends, codes).foreach { ofFields =>
      ofFields.indices.foreach(f => ofFields(f) = new Array[Array[Byte]](StripeRows.FewStripes))
    }
    clear()
  }

  /**
   * Copies the rows at the addresses from `first` on, up to `until`, as many as fit. Returns the
   * first index that was not copied.
   */
  def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int = {
    val most = math.min(until - first, RowBatch.MostRows)
    val isFixed = this.isFixed
    val rows = if (isFixed) fixed(most, to) else varying(addresses, first, most, to)
    to.begin(rows, if (isFixed) fixedBytes else 0)
    clearBits(rows, to)
    var f = 0
    while (f < fields) {
      val width = layout.widths(columns(f))
      if (!isLeftOut(f)) {
        if (width == 0) copyVarying(f, addresses, first, rows, to)
        else copyFixed(f, width, addresses, first, rows, to)
      }
      f += 1
    }
    first + rows
  }

  private def fixed(most: Int, to: RowBatch): Int = {
    to.reserve(fixedBytes.toLong)
    if (fixedBytes > 0) {
      val rows = math.min(most.toLong, to.room / fixedBytes).toInt
      if (!layout.isFixed) {
        // The offset of variable-length values without bytes.
        var i = 0
        while (i < rows) {
          tails(i) = (i + 1) * fixedBytes
          i += 1
        }
      }
      rows
    } else {
      java.util.Arrays.fill(to.ends, 0)
      most
    }
  }

  private def varying(addresses: Array[Int], first: Int, most: Int, to: RowBatch): Int = {
    var used = 0L
    var i = 0
    var isFull = false
    while (i < most && !isFull) {
      val size = sizeOf(addresses(first + i))
      if (used + size > to.room && i > 0) isFull = true
      else {
        if (i == 0) to.reserve(size)
        tails(i) = used.toInt + fixedBytes
        used += size
        to.ends(i) = used.toInt
        i += 1
      }
    }
    i
  }

  private def sizeOf(address: Int): Long = {
    val stripe = address >>> Stripe.RowBits
    val row = address & Stripe.RowMask
    var size = fixedBytes.toLong
    var f = 0
    while (f < fields) {
      if (isLeftOut(f) || !anyBytes(f)) ()
      else if (layout.isReserved(columns(f))) size += Layout.ReservedBytes
      else {
        val value = Stripe.value(codes(f)(stripe), row)
        val bytes = Stripe.int(ends(f)(stripe), value) - Stripe.start(ends(f)(stripe), value)
        size += (bytes + 7L) & ~7L
      }
      f += 1
    }
    size
  }

  private def clearBits(rows: Int, to: RowBatch): Unit = {
    var i = 0
    while (i < rows) {
      var word = to.start(i) >>> 3
      val end = word + (bitBytes >>> 3)
      while (word < end) {
        to.bytes(word) = 0L
        word += 1
      }
      i += 1
    }
  }

  private def copyFixed(
      f: Int,
      width: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    val field = bitBytes + 8 * f
    if (width == 8) copyLongs(values(f), field, addresses, first, rows, to)
    else if (width == 4) copyInts(values(f), field, addresses, first, rows, to)
    else copySmall(values(f), field, width, addresses, first, rows, to)
    if (anyNull(f)) markNulls(f, addresses, first, rows, to)
  }

  private def copyLongs(
      values: Array[Array[Byte]],
      field: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    var i = 0
    while (i < rows) {
      val address = addresses(first + i)
      val from = Platform.BYTE_ARRAY_OFFSET + 8L * (address & Stripe.RowMask)
      to.bytes((to.start(i) + field) >>> 3) =
        Platform.getLong(values(address >>> Stripe.RowBits), from)
      i += 1
    }
  }

  private def copyInts(
      values: Array[Array[Byte]],
      field: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    var i = 0
    while (i < rows) {
      val address = addresses(first + i)
      val from = Platform.BYTE_ARRAY_OFFSET + 4L * (address & Stripe.RowMask)
      val value = Platform.getInt(values(address >>> Stripe.RowBits), from)
      val at = to.start(i) + field
      to.bytes(at >>> 3) = 0L
      Platform.putInt(to.bytes, Platform.LONG_ARRAY_OFFSET + at.toLong, value)
      i += 1
    }
  }

  private def copySmall(
      values: Array[Array[Byte]],
      field: Int,
      width: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    var i = 0
    while (i < rows) {
      val address = addresses(first + i)
      val base = values(address >>> Stripe.RowBits)
      val from = Platform.BYTE_ARRAY_OFFSET + width.toLong * (address & Stripe.RowMask)
      val at = to.start(i) + field
      val offset = Platform.LONG_ARRAY_OFFSET + at.toLong
      to.bytes(at >>> 3) = 0L
      if (width == 2) Platform.putShort(to.bytes, offset, Platform.getShort(base, from))
      else Platform.putByte(to.bytes, offset, Platform.getByte(base, from))
      i += 1
    }
  }

  // The values of nulls are zeros.
  private def markNulls(
      f: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    var i = 0
    while (i < rows) {
      if (isNull(f, addresses(first + i))) {
        BitSetMethods.set(to.bytes, Platform.LONG_ARRAY_OFFSET + to.start(i).toLong, f)
      }
      i += 1
    }
  }

  private def isNull(f: Int, address: Int): Boolean =
    Stripe.isSet(nulls(f)(address >>> Stripe.RowBits), address & Stripe.RowMask)

  private def copyVarying(
      f: Int,
      addresses: Array[Int],
      first: Int,
      rows: Int,
      to: RowBatch
  ): Unit = {
    val isReserved = layout.isReserved(columns(f))
    val field = bitBytes + 8 * f
    var i = 0
    while (i < rows) {
      val address = addresses(first + i)
      val stripe = address >>> Stripe.RowBits
      val row = address & Stripe.RowMask
      val begin = to.start(i)
      val word = (begin + field) >>> 3
      val isNull = this.isNull(f, address)
      if (isNull) BitSetMethods.set(to.bytes, Platform.LONG_ARRAY_OFFSET + begin.toLong, f)
      if (isNull && !isReserved) to.bytes(word) = 0L
      else {
        val value = Stripe.value(codes(f)(stripe), row)
        val from = Stripe.start(ends(f)(stripe), value)
        val size = Stripe.int(ends(f)(stripe), value) - from
        val room = if (isReserved) Layout.ReservedBytes else (size + 7) & ~7
        val tail = tails(i)
        if (isReserved) {
          to.bytes(tail >>> 3) = 0L
          to.bytes((tail >>> 3) + 1) = 0L
        } else if ((size & 7) != 0) to.bytes((tail + size) >>> 3) = 0L
        RowBytes.copy(
          values(f)(stripe),
          Platform.BYTE_ARRAY_OFFSET.toLong + from,
          to.bytes,
          Platform.LONG_ARRAY_OFFSET.toLong + tail,
          size
        )
        to.bytes(word) = ((tail - begin).toLong << 32) | size
        tails(i) = tail + room
      }
      i += 1
    }
  }
}

private[execution] object StripeRows {
  private val FewStripes = 16

  /** The addresses of the first stripe's rows. */
  val first: Array[Int] = Array.range(0, Stripe.MostRows)

  /** Returns the rows of stripes, in their order; a row is valid until the next. */
  def of(layout: Layout, stripes: Iterator[Stripe]): Iterator[InternalRow] = {
    val batches = new StripeBatches(layout, stripes)
    val batch = new RowBatch
    val row = new UnsafeRow(layout.size)
    new Iterator[InternalRow] {
      override def hasNext: Boolean = batch.hasNext || batches.hasNext

      override def next(): InternalRow = {
        if (!batch.hasNext) batches.fill(batch)
        batch.advance(row)
        row
      }
    }
  }
}
