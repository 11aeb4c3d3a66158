package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Keys, LongColumn}

/**
 * ROWS: as many rows from the current one as the current row says, so that the edge goes back as
 * well as forward.
 *
 *     offsets of five rows, PRECEDING      1   0   2   3   1
 *     first row in the frame               0   1   0   0   3
 *
 * Cost per row: an addition. Guarded by NonMonotonicMotionSuite.
 *
 * @param sign
 *   -1: offsets count rows before the current one
 * @param beyond
 *   how many rows behind the row that the offset says the edge lies
 */
final class NonMonotonicRows(offsets: LongColumn, sign: Int, beyond: Long, isBefore: Boolean)
    extends Edge {
  override def seek(from: Long, current: Long, arrived: Long): Long =
    math.max(0L, math.min(place(current), arrived))

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean =
    place(current) > arrived

  // As an upper edge.
  override def isImmediate: Boolean = isBefore

  override def readsKeys: Boolean = true

  private def place(current: Long): Long = {
    val offset = math.max(-NonMonotonicRows.Far, math.min(offsets(current), NonMonotonicRows.Far))
    current + sign * offset + beyond
  }
}

private object NonMonotonicRows {

  // Further than any partition reaches.
  private final val Far = 1L << 60
}

/**
 * RANGE and GROUPS: RangeEdge, where the bound of a row may lie before that of the row before it.
 * Rows are in the order of their keys, so the edge is sought in steps that double, from where it
 * was.
 *
 * Cost per row: comparisons, twice the logarithm of how far the edge has gone. Source: Bentley and
 * Yao, "An Almost Optimal Algorithm for Unbounded Searching" (1976). Guarded by
 * NonMonotonicMotionSuite.
 */
final class NonMonotonicKeys(keys: Keys, after: Boolean) extends Edge {
  private val stop = if (after) 1 else 0

  override def seek(from: Long, current: Long, arrived: Long): Long = {
    val start = math.min(from, arrived)
    var low = 0L
    var high = arrived
    var step = 1L
    if (start < arrived && isBefore(start, current)) {
      low = start + 1
      while (low + step < arrived && isBefore(low + step, current)) {
        low += step + 1
        step *= 2
      }
      high = math.min(low + step, arrived)
    } else {
      high = start
      while (high - step >= 0L && !isBefore(high - step, current)) {
        high -= step
        step *= 2
      }
      low = math.max(0L, high - step + 1)
    }
    while (low < high) {
      val middle = (low + high) >>> 1
      if (isBefore(middle, current)) low = middle + 1 else high = middle
    }
    low
  }

  private def isBefore(position: Long, current: Long): Boolean =
    keys.compare(position, current) < stop

  override def isOpen(edgePosition: Long, current: Long, arrived: Long): Boolean =
    edgePosition >= arrived

  override def readsKeys: Boolean = true

  override def startPartition(first: Long): Unit = keys.startPartition()

  override def forget(): Unit = keys.startPartition()
}
