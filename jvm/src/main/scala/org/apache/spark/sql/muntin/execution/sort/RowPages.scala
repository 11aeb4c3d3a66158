package org.apache.spark.sql.muntin.execution.sort

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.execution.rows.RowBatch
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

/**
 * The bytes of rows, in pages of the task's memory. The address of a row is its page and its place
 * in the page, counted in longs: 32 bits together. Where rows differ in size, each has its size
 * before it.
 */
private[execution] final class RowPages(types: Seq[DataType], memory: SortMemory)
    extends RowStore {
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
  private var base: AnyRef = _
  private var offset = 0L
  private var end = 0L

  /** Whether no page can be added: then any row may be the last. */
  override def isFull: Boolean = pages.size == mostPages

  /** Adds a row, and gives its address. If memory is refused, nothing has changed. */
  def add(row: UnsafeRow): Int = {
    val size = row.getSizeInBytes
    if (fixedSize > 0 && size != fixedSize) throw RowPages.notOf(types, fixedSize, size)
    if (offset + header + size > end) addPage(header + size)
    val start = offset
    if (header > 0) Platform.putLong(base, start, size.toLong)
    RowPages.copy(row.getBaseObject, row.getBaseOffset, base, start + header, size)
    offset = start + header + size
    ((pages.size - 1) << placeBits) | ((start - offsets(pages.size - 1)) >>> 3).toInt
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
    base = page.getBaseObject
    offset = page.getBaseOffset
    // A page that was made for one long row may be longer than addresses reach.
    end = offset + math.min(page.size, math.max(least.toLong, (placeMask + 1L) * 8L))
  }

  override def copy(addresses: Array[Int], first: Int, until: Int, to: RowBatch): Int = {
    val most = math.min(until, first + RowBatch.MostRows)
    var used = 0
    var i = first
    var isFull = false
    while (i < most && !isFull) {
      val size = sizeOf(addresses(i))
      if (used + size > to.room && used > 0) isFull = true
      else {
        to.reserve(size.toLong)
        val start = Platform.LONG_ARRAY_OFFSET + used.toLong
        RowPages.copy(baseOf(addresses(i)), offsetOf(addresses(i)), to.bytes, start, size)
        used += size
        to.ends(i - first) = used
        i += 1
      }
    }
    to.begin(i - first)
    i
  }

  def baseOf(address: Int): AnyRef = bases(address >>> placeBits)

  def offsetOf(address: Int): Long =
    offsets(address >>> placeBits) + ((address & placeMask).toLong << 3) + header

  def sizeOf(address: Int): Int =
    if (header == 0) fixedSize
    else Platform.getLong(baseOf(address), offsetOf(address) - header).toInt

  /** Gives the pages back. */
  override def free(): Unit = {
    pages.foreach(memory.free)
    pages.clear()
    base = null
    bases = Array.empty
    offset = 0L
    end = 0L
  }
}

private[execution] object RowPages {
  private val FewBytes = 256

  // Rows of a fixed size are found by it: another size would give the values of other rows.
  private def notOf(types: Seq[DataType], expected: Int, size: Int): IllegalStateException =
    new IllegalStateException(
      s"a row of $size bytes, where rows of ${types.map(_.sql).mkString(", ")} have $expected"
    )

  /** Copies the bytes of a row, whose number is a multiple of eight. */
  def copy(from: AnyRef, fromOffset: Long, to: AnyRef, toOffset: Long, size: Int): Unit =
    if (size > FewBytes) Platform.copyMemory(from, fromOffset, to, toOffset, size.toLong)
    else {
      var i = 0
      while (i < size) {
        Platform.putLong(to, toOffset + i, Platform.getLong(from, fromOffset + i))
        i += 8
      }
    }
}
