package org.apache.spark.sql.muntin.streaming

import java.io.{DataInput, DataOutput}
import java.util

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Rows in the form of the state, each with its position; positions ascend. A position is written
 * as the distance from the position before it: in one byte, if no gap is large.
 *
 * Guarded by NumberedRowsSuite.
 */
final class NumberedRows(rows: RowForm) {
  private val bytes = new StateOutput
  private var positions = new Array[Long](64)
  // Where each row begins, and where the last row ends.
  private var offsets = new Array[Int](65)
  private var count = 0

  def size: Int = count

  /** How many bytes the rows take in memory. */
  def memory: Long = bytes.bytes.length + 12L * positions.length

  def clear(): Unit = {
    bytes.clear()
    count = 0
  }

  def add(position: Long, row: UnsafeRow): Unit = {
    rows.write(row, bytes)
    added(position)
  }

  /** Adds the rows of `later`, whose positions are above all that are here. */
  def addAll(later: NumberedRows): Unit = {
    var i = 0
    while (i < later.count) {
      bytes.write(later.bytes.bytes, later.offsets(i), later.offsets(i + 1) - later.offsets(i))
      added(later.positions(i))
      i += 1
    }
  }

  private def added(position: Long): Unit = {
    if (count == positions.length) {
      positions = util.Arrays.copyOf(positions, 2 * count)
      offsets = util.Arrays.copyOf(offsets, 2 * count + 1)
    }
    positions(count) = position
    count += 1
    offsets(count) = bytes.length
  }

  /** Drops all rows but those at the positions of `there`, which ascend. */
  def retain(there: Array[Long]): Unit = {
    var at = NumberedRows.search(there, if (count == 0) 0L else positions(0))
    var kept = 0
    var i = 0
    while (i < count) {
      while (at < there.length && there(at) < positions(i)) at += 1
      if (at < there.length && there(at) == positions(i)) {
        move(i, kept)
        kept += 1
      }
      i += 1
    }
    shorten(kept)
  }

  /** Drops the first `dropped` rows. */
  def dropFirst(dropped: Int): Unit = {
    var i = dropped
    while (i < count) {
      move(i, i - dropped)
      i += 1
    }
    shorten(count - dropped)
  }

  private def move(from: Int, to: Int): Unit = if (from != to) {
    val size = offsets(from + 1) - offsets(from)
    System.arraycopy(bytes.bytes, offsets(from), bytes.bytes, offsets(to), size)
    positions(to) = positions(from)
    offsets(to + 1) = offsets(to) + size
  }

  private def shorten(size: Int): Unit = {
    count = size
    bytes.truncate(offsets(size))
  }

  /** The position of the `i`-th row. */
  def position(i: Int): Long = positions(i)

  /** Writes the rows from the `from`-th until that at `until`. */
  def write(from: Int, until: Int, out: DataOutput): Unit = {
    out.writeInt(until - from)
    var before = 0L
    var i = from
    while (i < until) {
      NumberedRows.writeDistance(positions(i) - before, out)
      before = positions(i)
      out.write(bytes.bytes, offsets(i), offsets(i + 1) - offsets(i))
      i += 1
    }
  }

  /** Reads rows that were written; each is valid until the next. */
  def read(in: StateInput, take: (Long, UnsafeRow) => Unit): Unit = {
    var left = in.readInt()
    var position = 0L
    while (left > 0) {
      position += NumberedRows.readDistance(in)
      take(position, rows.read(in))
      left -= 1
    }
  }
}

object NumberedRows {

  /** The index of the first of `ascending` that is not below `value`. */
  def search(ascending: Array[Long], value: Long): Int = {
    val found = util.Arrays.binarySearch(ascending, value)
    if (found >= 0) found else -found - 1
  }

  /** Seven bits to the byte, the lowest first. */
  private def writeDistance(distance: Long, out: DataOutput): Unit = {
    var rest = distance
    while ((rest & ~0x7fL) != 0L) {
      out.writeByte((rest.toInt & 0x7f) | 0x80)
      rest >>>= 7
    }
    out.writeByte(rest.toInt)
  }

  private def readDistance(in: DataInput): Long = {
    var distance = 0L
    var shift = 0
    var byte = in.readByte().toInt
    while (byte < 0) {
      distance |= (byte & 0x7f).toLong << shift
      shift += 7
      byte = in.readByte().toInt
    }
    distance | byte.toLong << shift
  }
}
