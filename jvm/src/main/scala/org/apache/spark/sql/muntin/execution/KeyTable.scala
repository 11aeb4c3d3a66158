package org.apache.spark.sql.muntin.execution

import java.util.Arrays

import io.muntin.kernel.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * Numbers rows that are keys, from 0 in the order in which they are first seen: an open-addressing table
 * of hashes, beside the keys' bytes.
 *
 * Cost per row: a hash, and two places in memory that are not near: the table's, and the key's.
 */
final class KeyTable(types: Seq[DataType], memory: Memory) {
  // The hash of a key in the upper half, its number + 1 in the lower; 0 for none.
  private var slots = new Array[Long](KeyTable.InitialSlots)
  private var bytes = new Array[Byte](KeyTable.InitialBytes)
  private var count = 0
  private var used = 0
  private val row = new UnsafeRow(types.size)

  // Keys of one size lie where their number says; of others, where `starts` does.
  private val width =
    if (types.forall(t => UnsafeRow.isFixedLength(t))) {
      UnsafeRow.calculateBitSetWidthInBytes(types.size) + 8 * types.size
    } else 0
  private var starts = new Array[Int](if (width > 0) 0 else KeyTable.InitialSlots / 2 + 1)

  memory.acquire(KeyTable.bytesOf(KeyTable.InitialSlots) + KeyTable.InitialBytes)

  def size: Int = count

  /** Its keys take so much that further ones belong in another table. */
  def isFull: Boolean = used >= KeyTable.MostBytes

  /** The number of a key. */
  def number(key: UnsafeRow): Int = {
    val length = key.getSizeInBytes
    val hash = Murmur3_x86_32.hashUnsafeWords(key.getBaseObject, key.getBaseOffset, length, 42)
    val mask = slots.length - 1
    var slot = hash & mask
    var entry = slots(slot)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash) {
        val number = entry.toInt - 1
        if (isSame(number, key, length)) return number
      }
      slot = (slot + 1) & mask
      entry = slots(slot)
    }
    add(key, length)
    slots(slot) = (hash.toLong << 32) | count
    if (count * 2 == slots.length) grow()
    count - 1
  }

  /** The key of a number; valid until the next call. */
  def apply(number: Int): UnsafeRow = {
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start(number), end(number) - start(number))
    row
  }

  def clear(): Unit = {
    Arrays.fill(slots, 0L)
    count = 0
    used = 0
  }

  private def start(number: Int): Int = if (width > 0) number * width else starts(number)

  private def end(number: Int): Int = if (width > 0) (number + 1) * width else starts(number + 1)

  private def isSame(number: Int, key: UnsafeRow, length: Int): Boolean =
    (width > 0 || end(number) - start(number) == length) && ByteArrayMethods.arrayEquals(
      bytes,
      Platform.BYTE_ARRAY_OFFSET + start(number),
      key.getBaseObject,
      key.getBaseOffset,
      length
    )

  private def add(key: UnsafeRow, length: Int): Unit = {
    if (used + length > bytes.length) {
      val capacity = math.max(bytes.length * 2, used + length)
      memory.acquire(capacity)
      memory.release(bytes.length)
      bytes = Arrays.copyOf(bytes, capacity)
    }
    key.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + used)
    used += length
    count += 1
    if (width == 0) starts(count) = used
  }

  private def grow(): Unit = {
    val capacity = slots.length * 2
    memory.acquire(KeyTable.bytesOf(capacity))
    val next = new Array[Long](capacity)
    var i = 0
    while (i < slots.length) {
      val entry = slots(i)
      if (entry != 0L) {
        var slot = (entry >>> 32).toInt & (capacity - 1)
        while (next(slot) != 0L) slot = (slot + 1) & (capacity - 1)
        next(slot) = entry
      }
      i += 1
    }
    slots = next
    if (width == 0) starts = Arrays.copyOf(starts, capacity / 2 + 1)
    memory.release(KeyTable.bytesOf(capacity / 2))
  }
}

private object KeyTable {
  private val InitialSlots = 1024
  private val InitialBytes = 1 << 14
  private val MostBytes = 1 << 28

  private def bytesOf(slots: Int): Long = slots * 10L
}
