package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.RowBytes
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods

/**
 * Stripes of rows, where the operator below the exchange has no columns. A step keeps the bytes of
 * some rows, since the operator below reuses its row; then it goes column by column.
 */
private[exchange] final class StripesOfRows(
    rows: Iterator[InternalRow],
    layout: Layout,
    partitions: Int,
    partitionOf: PartitionOfRow
) extends DealtStripes(layout, partitions) {
  private val bitBytes = UnsafeRow.calculateBitSetWidthInBytes(layout.size)
  private val kept = new Array[Long](StripesOfRows.BytesOfStep / 8)
  // The bytes of the step's rows, and where each row begins in them.
  private var bytes: AnyRef = kept
  private val starts = new Array[Long](StripesOfRows.RowsOfStep)
  // The bits of the fields that are null in any row of the step.
  private val nulls = new Array[Long](bitBytes / 8)
  private var next0: UnsafeRow = _

  override protected def step(): Boolean = {
    if (next0 == null) fetch()
    next0 != null && {
      val isLarge = next0.getSizeInBytes > StripesOfRows.BytesOfStep
      val count = if (isLarge) takeLarge() else keep()
      findPlaces(count, if (layout.isFixed) 0L else varyingBytes(count))
      var c = 0
      while (c < layout.size) {
        val width = layout.widths(c)
        if (hasNull(c)) addNulls(c, count)
        if (width == 0) addVarying(c, count)
        else if (width == 8) addLongs(c, builders.ofColumn(c), count)
        else if (width == 4) addInts(c, builders.ofColumn(c), count)
        else addSmall(c, width, builders.ofColumn(c), count)
        c += 1
      }
      addedAll()
      stepped()
      if (isLarge) fetch()
      true
    }
  }

  private def fetch(): Unit =
    next0 = if (rows.hasNext) rows.next().asInstanceOf[UnsafeRow] else null

  /** A step of one row, whose bytes stay where they are. */
  private def takeLarge(): Int = {
    Arrays.fill(nulls, 0L)
    bytes = next0.getBaseObject
    starts(0) = next0.getBaseOffset
    ids(0) = partitionOf(next0)
    addBits(0)
    1
  }

  /** Keeps the bytes of some rows; how many. */
  private def keep(): Int = {
    Arrays.fill(nulls, 0L)
    bytes = kept
    var count = 0
    var used = 0
    while (count < StripesOfRows.RowsOfStep && fits(used)) {
      val size = next0.getSizeInBytes
      starts(count) = Platform.LONG_ARRAY_OFFSET.toLong + used
      RowBytes.copy(next0.getBaseObject, next0.getBaseOffset, kept, starts(count), size)
      ids(count) = partitionOf(next0)
      addBits(count)
      used += size
      count += 1
      fetch()
    }
    count
  }

  private def fits(used: Int): Boolean =
    next0 != null && used + next0.getSizeInBytes <= StripesOfRows.BytesOfStep

  private def addBits(row: Int): Unit = {
    var w = 0
    while (w < nulls.length) {
      nulls(w) |= Platform.getLong(bytes, starts(row) + 8L * w)
      w += 1
    }
  }

  private def hasNull(column: Int): Boolean = (nulls(column >>> 6) & (1L << column)) != 0L

  private def isNull(column: Int, row: Int): Boolean =
    BitSetMethods.isSet(bytes, starts(row), column)

  private def field(column: Int, row: Int): Long = starts(row) + bitBytes + 8L * column

  private def varyingBytes(count: Int): Long = {
    var sum = 0L
    var c = 0
    while (c < layout.size) {
      if (layout.widths(c) == 0) {
        var i = 0
        while (i < count) {
          sum += Platform.getLong(bytes, field(c, i)).toInt
          i += 1
        }
      }
      c += 1
    }
    sum
  }

  private def addNulls(c: Int, count: Int): Unit = {
    var i = 0
    while (i < count) {
      if (isNull(c, i)) builders.setNull(c, ids(i), places(i))
      i += 1
    }
  }

  private def addLongs(c: Int, to: Array[Array[Byte]], count: Int): Unit = {
    val nullable = hasNull(c)
    var i = 0
    while (i < count) {
      if (!nullable || !isNull(c, i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + 8L * places(i)
        Platform.putLong(to(ids(i)), offset, Platform.getLong(bytes, field(c, i)))
      }
      i += 1
    }
  }

  private def addInts(c: Int, to: Array[Array[Byte]], count: Int): Unit = {
    val nullable = hasNull(c)
    var i = 0
    while (i < count) {
      if (!nullable || !isNull(c, i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + 4L * places(i)
        Platform.putInt(to(ids(i)), offset, Platform.getInt(bytes, field(c, i)))
      }
      i += 1
    }
  }

  private def addSmall(c: Int, width: Int, to: Array[Array[Byte]], count: Int): Unit = {
    val nullable = hasNull(c)
    var i = 0
    while (i < count) {
      if (!nullable || !isNull(c, i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + width.toLong * places(i)
        val from = field(c, i)
        if (width == 2) Platform.putShort(to(ids(i)), offset, Platform.getShort(bytes, from))
        else Platform.putByte(to(ids(i)), offset, Platform.getByte(bytes, from))
      }
      i += 1
    }
  }

  private def addVarying(c: Int, count: Int): Unit = {
    val to = builders.ofColumn(c)
    var i = 0
    while (i < count) {
      // A null has no bytes, unless its room is reserved.
      val word = Platform.getLong(bytes, field(c, i))
      val size = if (layout.isReserved(c) || !isNull(c, i)) word.toInt else 0
      val at = builders.append(c, ids(i), places(i), size)
      RowBytes.copy(
        bytes,
        starts(i) + (word >>> 32),
        to(ids(i)),
        Platform.BYTE_ARRAY_OFFSET.toLong + at,
        size
      )
      i += 1
    }
  }
}

private object StripesOfRows {
  // Near to the processor while column after column is read.
  private val BytesOfStep = 64 << 10
  private val RowsOfStep = 1024
}
