package org.apache.spark.sql.muntin.execution.sort

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.{RowBatch, RowBytes}
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

/**
 * Stores the bytes of rows in pages of the task's memory. The address of a row is its page and its
 * place in the page, counted in longs: 32 bits together. If rows differ in size, each is preceded
 * by its size.
 *
 * Rows of one bucket are close to each other: a bucket takes `RowPages.BucketBytes` of a page at a
 * time. A reader of one bucket after the other finds its rows in the processor's cache.
 */
private[execution] final class RowPages(
    types: Seq[DataType],
    memory: SortMemory,
    buckets: Int = 1,
    ties: Ordering[InternalRow] = null
) extends RowStore {
  private val fixedSize =
    if (types.forall(t => UnsafeRow.isFixedLength(t))) {
      UnsafeRow.calculateBitSetWidthInBytes(types.size) + 8 * types.size
    } else 0
  private val header = if (fixedSize > 0) 0 else 8

  private val placeBits = 64 - java.lang.Long.numberOfLeadingZeros(memory.pageBytes / 8 - 1)
  private val placeMask = (1 << placeBits) - 1
  private val mostPages = 1 << (32 - placeBits)

  private val pages = mutable.ArrayBuffer.empty[MemoryBlock]
  private var bases = new Array[AnyRef](16)
  private var offsets = new Array[Long](16)
  // The rest of the last page.
  private var offset = 0L
  private var end = 0L

  // The fields that copied rows have after their columns; null if there are none.
  private var room: RowExtender = _

  // The place of each bucket: its page, and the rest of it.
  private val pageOf = new Array[Int](buckets)
  private val nextOf = new Array[Long](buckets)
  private val endOf = new Array[Long](buckets)

  /** Returns true if no page can be added: then any row may be the last. */
  override def isFull: Boolean = pages.size == mostPages

  /** Adds a row, and returns its address. If memory is refused, nothing has changed. */
  def add(row: UnsafeRow, bucket: Int = 0): Int = {
    val size = row.getSizeInBytes
    if (fixedSize > 0 && size != fixedSize) throw RowPages.notOf(types, fixedSize, size)
    if (nextOf(bucket) + header + size > endOf(bucket)) addRoom(bucket, header + size)
    val start = nextOf(bucket)
    val page = pageOf(bucket)
    val to = bases(page)
    if (header > 0) Platform.putLong(to, start, size.toLong)
    RowBytes.copy(row.getBaseObject, row.getBaseOffset, to, start + header, size)
    nextOf(bucket) = start + header + size
    (page << placeBits) | ((start - offsets(page)) >>> 3).toInt
  }

  private def addRoom(bucket: Int, least: Int): Unit = {
    if (offset + least > end) addPage(least)
    val more = if (buckets == 1) end - offset else math.max(least, RowPages.BucketBytes).toLong
    pageOf(bucket) = pages.size - 1
    nextOf(bucket) = offset
    offset = math.min(end, offset + more)
    endOf(bucket) = offset
  }

  private def addPage(least: Int): Unit = {
    val page = memory.newPage(least.toLong)
    if (pages.size == bases.length) {
      bases = java.util.Arrays.copyOf(bases, 2 * pages.size)
      offsets = java.util.Arrays.copyOf(offsets, 2 * pages.size)
    }
    bases(pages.size) = page.getBaseObject
    offsets(pages.size) = page.getBaseOffset
    pages += page
    offset = page.getBaseOffset
    // A page that was allocated for one long row may be longer than addresses reach.
    end = offset + math.min(page.size, math.max(least.toLong, (placeMask + 1L) * 8L))
  }

  override def reserveFields(fields: Int): Unit =
    room = if (fields == 0) null else new RowExtender(types, fields)

  override def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int = {
    val most = math.min(until, first + RowBatch.MostRows)
    val more = if (room == null) 0 else room.bytes
    // Sizes that precede the rows are read before the rows: reading the next row then does not
    // depend on the end of this one.
    var i = first
    while (i < most) {
      sizes(i - first) = sizeOf(addresses(i)) + more
      i += 1
    }
    var used = 0
    i = first
    var isFull = false
    while (i < most && !isFull) {
      val size = sizes(i - first)
      if (used + size > to.room && used > 0) isFull = true
      else {
        to.reserve(size.toLong)
        val start = Platform.LONG_ARRAY_OFFSET + used.toLong
        val base = baseOf(addresses(i))
        val offset = offsetOf(addresses(i))
        if (room == null) RowBytes.copy(base, offset, to.bytes, start, size)
        else room.copy(base, offset, to.bytes, start, size - more)
        used += size
        to.ends(i - first) = used
        i += 1
      }
    }
    to.begin(i - first, 0)
    i
  }

  private lazy val sizes = new Array[Int](RowBatch.MostRows)

  def baseOf(address: Int): AnyRef = bases(address >>> placeBits)

  def offsetOf(address: Int): Long =
    offsets(address >>> placeBits) + ((address & placeMask).toLong << 3) + header

  def sizeOf(address: Int): Int =
    if (header == 0) fixedSize
    else Platform.getLong(baseOf(address), offsetOf(address) - header).toInt

  private lazy val left = new UnsafeRow(types.size)
  private lazy val right = new UnsafeRow(types.size)

  override def compare(one: Int, other: Int): Int = {
    left.pointTo(baseOf(one), offsetOf(one), sizeOf(one))
    right.pointTo(baseOf(other), offsetOf(other), sizeOf(other))
    ties.compare(left, right)
  }

  /** Releases the pages. */
  override def free(): Unit = {
    pages.foreach(memory.free)
    pages.clear()
    bases = Array.empty
    offset = 0L
    end = 0L
    java.util.Arrays.fill(nextOf, 0L)
    java.util.Arrays.fill(endOf, 0L)
  }
}

private[execution] object RowPages {
  private val BucketBytes = 16 << 10

  // Rows of a fixed size are found by their size: another size would return the values of other
  // rows.
  private def notOf(types: Seq[DataType], expected: Int, size: Int): IllegalStateException =
    new IllegalStateException(
      s"a row of $size bytes, where rows of ${types.map(_.sql).mkString(", ")} have $expected"
    )
}
