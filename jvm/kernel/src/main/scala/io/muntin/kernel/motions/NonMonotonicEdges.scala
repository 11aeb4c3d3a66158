package io.muntin.kernel.motions

import io.muntin.kernel.columns.{Keys, LongColumn}

/**
 * ROWS: at an offset from the current row that the row itself specifies, so the edge moves back and
 * forth.
 *
 *     offsets of five rows, PRECEDING      1   0   2   3   1
 *     first row in the frame               0   1   0   0   3
 *
 * Cost per row: an addition. Guarded by NonMonotonicMotionSuite.
 *
 * @param sign
 *   -1: offsets count rows before the current row
 * @param beyond
 *   the number of rows from the row at the offset to the edge
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

  // A distance beyond any partition.
  private final val Far = 1L << 60
}

/**
 * RANGE and GROUPS: RangeEdge for bounds that do not ascend. Rows are ordered by their keys, so the
 * edge is searched in doubling steps from its previous position.
 *
 * Cost per row: twice the logarithm of the edge's move in comparisons. Source: Bentley and Yao, "An
 * Almost Optimal Algorithm for Unbounded Searching" (1976). Guarded by NonMonotonicMotionSuite.
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
