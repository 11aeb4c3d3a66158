package org.apache.spark.sql.muntin.streaming

/**
 * The totals of all groups in a partition's state. The state stores them, for the query's progress.
 */
final class StreamTotals {

  /**
   * Rows that are buffered until the watermark or the rows of their windows arrive, and rows that
   * windows still hold.
   */
  var rows = 0L
  var pages = 0L
  var groups = 0L

  /** How many bytes heads and pages take in the store, with their keys. */
  var bytes = 0L

  /** If needed: the time of the stream's newest row so far. */
  var newest = Long.MinValue

  /** True if the stream has been drained. */
  var isDrained = false

  def read(saved: Array[Byte]): Unit = if (saved != null) {
    val in = new StateInput(saved)
    rows = in.readLong()
    pages = in.readLong()
    groups = in.readLong()
    bytes = in.readLong()
    newest = if (in.available() > 0) in.readLong() else Long.MinValue
    isDrained = in.available() > 0 && in.readBoolean()
  }

  def write(): Array[Byte] = {
    val out = new StateOutput
    out.writeLong(rows)
    out.writeLong(pages)
    out.writeLong(groups)
    out.writeLong(bytes)
    out.writeLong(newest)
    out.writeBoolean(isDrained)
    out.copy
  }
}
