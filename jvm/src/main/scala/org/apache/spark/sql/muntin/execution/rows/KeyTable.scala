package org.apache.spark.sql.muntin.execution.rows

import java.util.Arrays

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * Numbers rows that are keys, from 0 in the order in which they are first seen: an open-addressing table
 * of hashes and numbers. Keys of one size stand in the table itself, so that a look at it is a look at one
 * place in memory; all of them stand, one after the other, beside it.
 *
 * Cost per row: a hash, and one place in memory that is not near; two for keys that differ in size.
 */
final class KeyTable(types: Seq[DataType], memory: Memory) {
  // So many longs a key has, where they are of one size; else 0.
  private val words =
    if (types.forall(t => UnsafeRow.isFixedLength(t))) {
      UnsafeRow.calculateBitSetWidthInBytes(types.size) / 8 + types.size
    } else 0
  private val stride = words + 1

  // Of each slot the hash of its key in the upper half of a long, the key's number + 1 in the lower, or 0 for
  // no key; then the key, where it is of one size.
  private var slots = new Array[Long](KeyTable.InitialSlots * stride)
  private var mask = KeyTable.InitialSlots - 1
  private var bytes = new Array[Byte](KeyTable.InitialBytes)
  private var starts = new Array[Int](if (words > 0) 0 else KeyTable.InitialSlots / 2 + 1)
  private var count = 0
  private var used = 0
  private val row = new UnsafeRow(types.size)

  memory.acquire(bytesOf(KeyTable.InitialSlots) + KeyTable.InitialBytes)

  def size: Int = count

  /** Its keys take so much that further ones belong in another table. */
  def isFull: Boolean = used >= KeyTable.MostBytes

  /** The number of a key. */
  def number(key: UnsafeRow): Int = {
    val length = key.getSizeInBytes
    val hash = Murmur3_x86_32.hashUnsafeWords(key.getBaseObject, key.getBaseOffset, length, 42)
    var slot = hash & mask
    var entry = slots(slot * stride)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash && isSame(slot, entry.toInt - 1, key, length)) {
        return entry.toInt - 1
      }
      slot = (slot + 1) & mask
      entry = slots(slot * stride)
    }
    add(key, length)
    slots(slot * stride) = (hash.toLong << 32) | count
    var i = 0
    while (i < words) {
      slots(slot * stride + 1 + i) = word(key, i)
      i += 1
    }
    if (count * 2 > mask) grow()
    count - 1
  }

  /** The key of a number; valid until the next call. */
  def apply(number: Int): UnsafeRow = {
    point(row, number)
    row
  }

  /** Lets a row stand at the key of a number, until keys are added. */
  def point(row: UnsafeRow, number: Int): Unit = row.pointTo(
    bytes,
    Platform.BYTE_ARRAY_OFFSET + start(number),
    start(number + 1) - start(number)
  )

  def clear(): Unit = {
    Arrays.fill(slots, 0L)
    count = 0
    used = 0
  }

  /** Where the bytes of a key begin; of the number behind the last, where they end. */
  private def start(number: Int): Int = if (words > 0) number * words * 8 else starts(number)

  private def word(key: UnsafeRow, i: Int): Long =
    Platform.getLong(key.getBaseObject, key.getBaseOffset + 8L * i)

  private def isSame(slot: Int, number: Int, key: UnsafeRow, length: Int): Boolean =
    if (words > 0) {
      val first = slot * stride + 1
      var i = 0
      while (i < words && slots(first + i) == word(key, i)) i += 1
      i == words
    } else {
      start(number + 1) - start(number) == length && ByteArrayMethods.arrayEquals(
        bytes,
        Platform.BYTE_ARRAY_OFFSET + start(number),
        key.getBaseObject,
        key.getBaseOffset,
        length
      )
    }

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
    if (words == 0) starts(count) = used
  }

  private def grow(): Unit = {
    val capacity = (mask + 1) * 2
    memory.acquire(bytesOf(capacity))
    val next = new Array[Long](capacity * stride)
    var i = 0
    while (i <= mask) {
      val entry = slots(i * stride)
      if (entry != 0L) {
        var slot = (entry >>> 32).toInt & (capacity - 1)
        while (next(slot * stride) != 0L) slot = (slot + 1) & (capacity - 1)
        System.arraycopy(slots, i * stride, next, slot * stride, stride)
      }
      i += 1
    }
    slots = next
    mask = capacity - 1
    if (words == 0) starts = Arrays.copyOf(starts, capacity / 2 + 1)
    memory.release(bytesOf(capacity / 2))
  }

  private def bytesOf(slots: Int): Long = slots * (8L * stride + (if (words > 0) 0L else 2L))
}

private[execution] object KeyTable {
  private val InitialSlots = 1024
  private val InitialBytes = 1 << 14
  private val MostBytes = 1 << 28
}
