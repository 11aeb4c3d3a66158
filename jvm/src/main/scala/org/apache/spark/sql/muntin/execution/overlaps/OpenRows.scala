package org.apache.spark.sql.muntin.execution.overlaps

import java.util.Arrays

import io.muntin.kernel.memory.Memory
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * The rows of one side whose intervals have begun and, as far as is known, not ended, each with its
 * end as a number, unless it has no end. Rows are removed in any order.
 */
private[overlaps] final class OpenRows(memory: Memory) {
  import OpenRows._

  private var rows = new Array[UnsafeRow](InitialSize)
  private var ends = new Array[Long](InitialSize)
  private var endless = new Array[Boolean](InitialSize)
  private var matched = new Array[Boolean](InitialSize)
  private var count = 0
  private var used = 0L
  private var granted = 0L

  def size: Int = count

  def apply(i: Int): UnsafeRow = rows(i)

  def end(i: Int): Long = ends(i)

  def isEndless(i: Int): Boolean = endless(i)

  def isMatched(i: Int): Boolean = matched(i)

  def setMatched(i: Int): Unit = matched(i) = true

  /** Adds a copy of the row. */
  def add(row: UnsafeRow, end: Long, isEndless: Boolean, isMatched: Boolean): Unit = {
    acquire(bytesOf(row))
    if (count == rows.length) {
      acquire(count.toLong * BytesPerPlace)
      rows = Arrays.copyOf(rows, 2 * count)
      ends = Arrays.copyOf(ends, 2 * count)
      endless = Arrays.copyOf(endless, 2 * count)
      matched = Arrays.copyOf(matched, 2 * count)
    }
    rows(count) = row.copy()
    ends(count) = end
    endless(count) = isEndless
    matched(count) = isMatched
    count += 1
  }

  /** Removes a row; the last row takes its place. */
  def remove(i: Int): Unit = {
    used -= bytesOf(rows(i))
    count -= 1
    rows(i) = rows(count)
    ends(i) = ends(count)
    endless(i) = endless(count)
    matched(i) = matched(count)
    rows(count) = null
    val spare = granted - used
    if (spare > 4L * Step) {
      memory.release(spare - Step)
      granted -= spare - Step
    }
  }

  private def acquire(bytes: Long): Unit = {
    if (used + bytes > granted) {
      val step = math.max(Step, used + bytes - granted)
      memory.acquire(step)
      granted += step
    }
    used += bytes
  }

  private def bytesOf(row: UnsafeRow): Long = row.getSizeInBytes + BytesPerRow
}

private object OpenRows {
  private val InitialSize = 64
  private val Step = 64L * 1024
  // The object of a row, and the head of its array.
  private val BytesPerRow = 56L
  private val BytesPerPlace = 18L
}
