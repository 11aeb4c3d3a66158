package org.apache.spark.sql.muntin.streaming

/**
 * How long a group of a stream lives without a row: a gap of more than `units` between two rows, in
 * units of the row time, begins a new partition.
 *
 * @param sql
 *   the time as a query writes it
 */
final case class GroupTtl(units: Long, sql: String) {

  /** Returns true if a row at `time` or later is not in the partition with this newest row. */
  def isPast(newest: Long, time: Long): Boolean = {
    val gap = time - newest
    // A gap that is not a long is negative.
    time > newest && (gap > units || gap < 0L)
  }

  /** Returns the first time that is past; Long.MaxValue if there is none. */
  def firstPast(newest: Long): Long = {
    val first = newest + units + 1L
    if (first > newest) first else Long.MaxValue
  }
}
