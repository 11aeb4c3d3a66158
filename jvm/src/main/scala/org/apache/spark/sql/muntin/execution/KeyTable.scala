package org.apache.spark.sql.muntin.execution

import java.util.Arrays

import io.muntin.kernel.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * Numbers rows that are keys, from 0 in the order in which they are first seen: an open-addressing table
 * of their bytes.
 */
final class KeyTable(fields: Int, memory: Memory) {
  private var slots = new Array[Int](KeyTable.InitialSlots)
  private var hashes = new Array[Int](KeyTable.InitialSlots / 2)
  private var starts = new Array[Int](KeyTable.InitialSlots / 2 + 1)
  private var bytes = new Array[Byte](KeyTable.InitialBytes)
  private var count = 0
  private val row = new UnsafeRow(fields)

  memory.acquire(KeyTable.bytesOf(KeyTable.InitialSlots) + KeyTable.InitialBytes)

  def size: Int = count

  /** The number of a key. */
  def number(key: UnsafeRow): Int = {
    val length = key.getSizeInBytes
    val hash = Murmur3_x86_32.hashUnsafeWords(key.getBaseObject, key.getBaseOffset, length, 42)
    val mask = slots.length - 1
    var slot = hash & mask
    while (slots(slot) != 0) {
      val known = slots(slot) - 1
      if (hashes(known) == hash && isSame(known, key, length)) return known
      slot = (slot + 1) & mask
    }
    slots(slot) = add(key, length, hash) + 1
    if (count * 2 == slots.length) grow()
    count - 1
  }

  /** The key of a number; valid until the next call. */
  def apply(number: Int): UnsafeRow = {
    val start = starts(number)
    row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET + start, starts(number + 1) - start)
    row
  }

  def clear(): Unit = {
    Arrays.fill(slots, 0)
    count = 0
  }

  private def isSame(known: Int, key: UnsafeRow, length: Int): Boolean = {
    val start = starts(known)
    starts(known + 1) - start == length && ByteArrayMethods.arrayEquals(
      bytes,
      Platform.BYTE_ARRAY_OFFSET + start,
      key.getBaseObject,
      key.getBaseOffset,
      length
    )
  }

  private def add(key: UnsafeRow, length: Int, hash: Int): Int = {
    val start = if (count == 0) 0 else starts(count)
    if (start + length > bytes.length) {
      val capacity = math.max(bytes.length * 2, start + length)
      memory.acquire(capacity)
      val old = bytes.length
      bytes = Arrays.copyOf(bytes, capacity)
      memory.release(old)
    }
    key.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + start)
    starts(count) = start
    starts(count + 1) = start + length
    hashes(count) = hash
    count += 1
    count - 1
  }

  private def grow(): Unit = {
    val capacity = slots.length * 2
    memory.acquire(KeyTable.bytesOf(capacity))
    hashes = Arrays.copyOf(hashes, capacity / 2)
    starts = Arrays.copyOf(starts, capacity / 2 + 1)
    val next = new Array[Int](capacity)
    var i = 0
    while (i < count) {
      var slot = hashes(i) & (capacity - 1)
      while (next(slot) != 0) slot = (slot + 1) & (capacity - 1)
      next(slot) = i + 1
      i += 1
    }
    slots = next
    memory.release(KeyTable.bytesOf(capacity / 2))
  }
}

private object KeyTable {
  private val InitialSlots = 1024
  private val InitialBytes = 1 << 14

  private def bytesOf(slots: Int): Long = slots * 8L
}
