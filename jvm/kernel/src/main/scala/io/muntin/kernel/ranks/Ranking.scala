package io.muntin.kernel.ranks

import io.muntin.kernel.columns.{Column, LongColumn}

/**
 * The ranks of the rows of a partition, from the numbers of their peers: row_number, rank and
 * dense_rank as rows arrive; percent_rank, cume_dist and ntile when the partition's size is known.
 *
 * Cost per row: one comparison, amortised. Guarded by RankingSuite.
 */
final class Ranking(peers: LongColumn) extends Column.Reader {
  private var row = -1L
  private var firstPeer = 0L
  private var endOfPeers = 0L

  override def floor: Long = math.max(row, 0L)

  def startPartition(): Unit = startPartition(0L, 0L)

  /** Continues after the row before `next`, whose first peer was at `peer`. */
  def startPartition(next: Long, peer: Long): Unit = {
    row = next - 1L
    firstPeer = peer
    endOfPeers = 0L
  }

  /** The first peer of the current row. */
  def peer: Long = firstPeer

  def advance(current: Long): Unit = {
    if (current == 0L || peers(current) != peers(current - 1)) firstPeer = current
    row = current
  }

  def rowNumber: Long = row + 1

  def rank: Long = firstPeer + 1

  def denseRank: Long = peers(row) + 1

  /** (rank - 1) / (size - 1); 0 for a single row. */
  def percentRank(size: Long): Double =
    if (size > 1L) firstPeer.toDouble / (size - 1).toDouble else 0.0

  /**
   * Returns the share of rows that are before the current row or its peers. All of its peers are
   * before `arrived`.
   */
  def cumeDist(arrived: Long, size: Long): Double = {
    if (endOfPeers <= row) {
      endOfPeers = row + 1
      while (endOfPeers < arrived && peers(endOfPeers) == peers(row)) endOfPeers += 1
    }
    endOfPeers.toDouble / size.toDouble
  }

  /**
   * Returns the bucket, from 1 to `buckets`. Sizes differ by at most one row, and larger buckets
   * are first.
   */
  def ntile(buckets: Long, size: Long): Long = {
    val rows = size / buckets
    val larger = size % buckets
    val inLarger = larger * (rows + 1)
    if (row < inLarger) row / (rows + 1) + 1
    else larger + (row - inLarger) / rows + 1
  }
}
