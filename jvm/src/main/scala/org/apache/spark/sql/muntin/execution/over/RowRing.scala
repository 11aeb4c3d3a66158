package org.apache.spark.sql.muntin.execution.over

import org.apache.spark.sql.muntin.execution.rows.{RowBytes, TaskMemory}
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/**
 * A first-in, first-out queue of rows in one byte array, which stays in the processor's cache: for
 * rows that wait for their peers, or for the few rows that their frames look ahead. It grows up to
 * `MaxBytes`, if memory is granted.
 *
 * A record is the row's size in eight bytes and the row; a size of `Skip` means that the next
 * record is at the start of the array.
 */
final class RowRing(memory: TaskMemory, fields: Int) {
  private var bytes: Array[Byte] = Array.emptyByteArray
  private var head = 0
  private var tail = 0
  private var rows = 0
  private val out = new UnsafeRow(fields)

  def isEmpty: Boolean = rows == 0

  /** Adds the row if it fits. Returns true if it was added. */
  def add(row: UnsafeRow): Boolean = {
    val size = row.getSizeInBytes
    makeRoom(size + RowRing.Header) && {
      Platform.putLong(bytes, offset(tail), size.toLong)
      RowBytes.copy(
        row.getBaseObject,
        row.getBaseOffset,
        bytes,
        offset(tail + RowRing.Header),
        size
      )
      tail += RowRing.Header + size
      rows += 1
      true
    }
  }

  /** Returns the oldest row, valid until the next `add`. */
  def remove(): UnsafeRow = {
    if (endsAt(head)) head = 0
    val size = Platform.getLong(bytes, offset(head)).toInt
    out.pointTo(bytes, offset(head + RowRing.Header), size)
    head += RowRing.Header + size
    rows -= 1
    if (rows == 0) {
      head = 0
      tail = 0
    }
    out
  }

  /** Moves `tail` to a place for a record of this size. */
  private def makeRoom(size: Int): Boolean =
    if (rows == 0 || tail > head) {
      if (tail + size <= bytes.length) true
      else if (rows > 0 && size <= head) {
        if (tail + RowRing.Header <= bytes.length) {
          Platform.putLong(bytes, offset(tail), RowRing.Skip)
        }
        tail = 0
        true
      } else grow(size)
    } else tail + size <= head || grow(size)

  private def grow(size: Int): Boolean = {
    val capacity = RowRing.capacityFor(bytes.length + size)
    capacity <= RowRing.MaxBytes && memory.tryAcquire(capacity.toLong) && {
      val larger = new Array[Byte](capacity)
      val used =
        if (rows > 0 && tail <= head) {
          // Two runs: from the head to the end of the records, and from the array's start to the
          // tail.
          val end = endOfRecords()
          System.arraycopy(bytes, head, larger, 0, end - head)
          System.arraycopy(bytes, 0, larger, end - head, tail)
          end - head + tail
        } else {
          System.arraycopy(bytes, head, larger, 0, tail - head)
          tail - head
        }
      memory.release(bytes.length.toLong)
      bytes = larger
      head = 0
      tail = used
      true
    }
  }

  private def endOfRecords(): Int = {
    var p = head
    while (!endsAt(p)) p += RowRing.Header + Platform.getLong(bytes, offset(p)).toInt
    p
  }

  private def endsAt(p: Int): Boolean =
    p + RowRing.Header > bytes.length || Platform.getLong(bytes, offset(p)) == RowRing.Skip

  private def offset(p: Int): Long = Platform.BYTE_ARRAY_OFFSET.toLong + p
}

object RowRing {
  val MaxBytes: Int = 1 << 20
  private val MinBytes = 1 << 12
  private val Header = 8
  private val Skip = -1L

  private def capacityFor(bytes: Int): Int =
    math.max(MinBytes, Integer.highestOneBit(math.max(1, bytes - 1)) << 1)
}
