package org.apache.spark.sql.muntin.execution.rows

import java.util.Arrays

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.DataType
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.array.ByteArrayMethods
import org.apache.spark.unsafe.hash.Murmur3_x86_32

/**
 * Numbers keys, from 0, in the order in which they first occur: an open-addressing table of hashes
 * and numbers. Keys of one size are in the table itself, so that a look-up reads one place in
 * memory; all keys are also stored sequentially outside the table.
 *
 * If numbers are not needed at once, keys can be queued, up to `Batch` of them, and `writeNumbers`
 * then looks them all up: so the processor waits for many distant places in memory at once.
 *
 * Cost per row: a hash, and one distant place in memory; two, for keys that differ in size.
 */
final class KeyTable(types: Seq[DataType], memory: Memory) {
  // How many longs a key has, if all keys have one size; else 0.
  private val words =
    if (types.forall(t => UnsafeRow.isFixedLength(t))) {
      UnsafeRow.calculateBitSetWidthInBytes(types.size) / 8 + types.size
    } else 0
  private val stride = words + 1

  // A slot is a long with the key's hash in its upper half and the key's number + 1 in its lower
  // half, or 0 for no key; then the key, if all keys have one size.
  private var slots = new Array[Long](KeyTable.InitialSlots * stride)
  private var mask = KeyTable.InitialSlots - 1
  private var bytes = new Array[Byte](KeyTable.InitialBytes)
  private var starts = new Array[Int](if (words > 0) 0 else KeyTable.InitialSlots / 2 + 1)
  private var count = 0
  private var used = 0
  private val row = new UnsafeRow(types.size)

  // Queued keys of one size, and their hashes; the numbers of other keys are stored in place of the
  // hashes.
  private val probe = new Array[Long](KeyTable.Batch * words)
  private val hashes = new Array[Int](KeyTable.Batch)
  private var waiting = 0

  memory.acquire(bytesOf(KeyTable.InitialSlots) + KeyTable.InitialBytes)

  def size: Int = count

  /** Returns true if the keys take so much memory that further keys should go to another table. */
  def isFull: Boolean = used >= KeyTable.MostBytes

  /** Returns the number of a key. Not to be called while keys are queued. */
  def number(key: UnsafeRow): Int =
    if (words == 0) numberOfRow(key)
    else {
      read(key, 0)
      numberOfWords(probe, 0, hashOf(probe, 0))
    }

  /** Returns true if `writeNumbers` can read keys in place. */
  def isOfOneSize: Boolean = words > 0

  /**
   * Writes the numbers of keys of one size, at most `Batch`, which are stored sequentially, the
   * first at `at`.
   */
  def writeNumbers(keys: Array[Long], at: Int, rows: Int, numbers: Array[Int], from: Int): Unit = {
    // Independent look-ups: each result is checked again afterwards.
    var i = 0
    while (i < rows) {
      val hash = hashOf(keys, at + i * words)
      hashes(i) = hash
      numbers(from + i) = slots((hash & mask) * stride).toInt
      i += 1
    }
    i = 0
    while (i < rows) {
      numbers(from + i) = numberOfWords(keys, at + i * words, hashes(i))
      i += 1
    }
  }

  /** Queues a key, one of at most `Batch`. */
  def queue(key: UnsafeRow): Unit = {
    if (words == 0) hashes(waiting) = numberOfRow(key) else read(key, waiting * words)
    waiting += 1
  }

  /** Returns how many keys are queued. */
  def queued: Int = waiting

  /** Writes the numbers of the queued keys, in their order. */
  def writeNumbers(numbers: Array[Int], from: Int): Unit = {
    if (words == 0) System.arraycopy(hashes, 0, numbers, from, waiting)
    else writeNumbers(probe, 0, waiting, numbers, from)
    waiting = 0
  }

  private def read(key: UnsafeRow, at: Int): Unit = {
    val base = key.getBaseObject
    val offset = key.getBaseOffset
    var i = 0
    while (i < words) {
      probe(at + i) = Platform.getLong(base, offset + 8L * i)
      i += 1
    }
  }

  private def hashOf(keys: Array[Long], at: Int): Int = {
    var hash = 0L
    var i = 0
    while (i < words) {
      hash = (hash ^ keys(at + i)) * KeyTable.Multiplier
      hash ^= hash >>> 32
      i += 1
    }
    hash.toInt
  }

  private def numberOfWords(keys: Array[Long], at: Int, hash: Int): Int = {
    var slot = hash & mask
    var entry = slots(slot * stride)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash && isSame(slot * stride + 1, keys, at))
        return entry.toInt - 1
      slot = (slot + 1) & mask
      entry = slots(slot * stride)
    }
    makeRoom(words * 8)
    val place = slot * stride
    var i = 0
    while (i < words) {
      Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET + used + 8L * i, keys(at + i))
      slots(place + 1 + i) = keys(at + i)
      i += 1
    }
    added(place, hash, words * 8)
  }

  private def isSame(place: Int, keys: Array[Long], at: Int): Boolean = {
    var i = 0
    while (i < words && slots(place + i) == keys(at + i)) i += 1
    i == words
  }

  private def numberOfRow(key: UnsafeRow): Int = {
    val length = key.getSizeInBytes
    val hash = Murmur3_x86_32.hashUnsafeWords(key.getBaseObject, key.getBaseOffset, length, 42)
    var slot = hash & mask
    var entry = slots(slot)
    while (entry != 0L) {
      if ((entry >>> 32).toInt == hash && isSame(entry.toInt - 1, key, length)) {
        return entry.toInt - 1
      }
      slot = (slot + 1) & mask
      entry = slots(slot)
    }
    makeRoom(length)
    key.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET + used)
    added(slot, hash, length)
  }

  /** Returns the key with a number; valid until the next call. */
  def apply(number: Int): UnsafeRow = {
    point(row, number)
    row
  }

  /** Points a row to the key with a number; valid until keys are added. */
  def point(row: UnsafeRow, number: Int): Unit = row.pointTo(
    bytes,
    Platform.BYTE_ARRAY_OFFSET + start(number),
    start(number + 1) - start(number)
  )

  def clear(): Unit = {
    Arrays.fill(slots, 0L)
    count = 0
    used = 0
    waiting = 0
  }

  /** Returns the start of a key's bytes; for the number after the last, the end of the bytes. */
  private def start(number: Int): Int = if (words > 0) number * words * 8 else starts(number)

  private def isSame(number: Int, key: UnsafeRow, length: Int): Boolean =
    start(number + 1) - start(number) == length && ByteArrayMethods.arrayEquals(
      bytes,
      Platform.BYTE_ARRAY_OFFSET + start(number),
      key.getBaseObject,
      key.getBaseOffset,
      length
    )

  private def makeRoom(length: Int): Unit =
    if (used + length > bytes.length) {
      val capacity = math.max(bytes.length * 2, used + length)
      memory.acquire(capacity)
      memory.release(bytes.length)
      bytes = Arrays.copyOf(bytes, capacity)
    }

  /** Returns the number of the key that was put at `place`. */
  private def added(place: Int, hash: Int, length: Int): Int = {
    used += length
    count += 1
    if (words == 0) starts(count) = used
    slots(place) = (hash.toLong << 32) | count
    if (count * 2 > mask) grow()
    count - 1
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

  /** The most keys in the queue. */
  val Batch: Int = 64
  private val Multiplier = 0x9e3779b97f4a7c15L
  private val MostBytes = 1 << 28
}
