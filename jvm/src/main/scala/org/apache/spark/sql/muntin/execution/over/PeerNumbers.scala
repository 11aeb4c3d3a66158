package org.apache.spark.sql.muntin.execution.over

import io.muntin.kernel.columns.LongColumn
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/**
 * Numbers the peers of a partition as its rows arrive: the number grows by one at each change in
 * the order.
 *
 *     row time   3  3  5  8  8
 *     number     0  0  1  2  2
 */
final class PeerNumbers(order: PeerOrder, val numbers: LongColumn) {
  private var number = -1L
  private var beginning = 0L
  private var begins = true
  // The result of `isPeer` for the row that arrives next.
  private var isKnown = false
  private var isNextPeer = false

  /** Starts with the row at `first`, whose number is `next`. */
  def startPartition(first: Long, next: Long): Unit = {
    numbers.clear(first)
    beginning = next
    number = next - 1L
    begins = true
  }

  def append(row: UnsafeRow): Unit = {
    if (begins || !isPeer(row)) number += 1
    begins = false
    isKnown = false
    order.keep(row)
    numbers.append(number)
  }

  /** Returns true if `next`, the row that arrives next, is a peer of the last row. */
  def isPeer(next: UnsafeRow): Boolean = {
    if (!isKnown) {
      isNextPeer = order.isPeer(next)
      isKnown = true
    }
    isNextPeer
  }

  /** Returns the number with which the partition began. */
  def atBeginning: Long = beginning

  /** Returns the number of the next row that is not a peer of the last row. */
  def next: Long = number + 1L
}
