package org.apache.spark.sql.muntin.streaming

/**
 * A partition's state as the groups of a micro-batch reach it: those that stay in memory outlive
 * the store of one micro-batch.
 */
final class StreamState {
  val totals = new StreamTotals
  private var current: StreamStore = _

  def store: StreamStore = current

  /**
   * From now on state is read from and written to `store`, which is at a version that was
   * committed.
   */
  def open(store: StreamStore): Unit = {
    current = store
    totals.read(store.totals)
  }

  /** Writes a page; the bytes that it takes. */
  def putPage(group: Array[Byte], number: Long, page: StateOutput): Long = {
    store.putPage(group, number, page.bytes, page.length)
    val taken = StreamStore.pageBytes(group, page.length)
    totals.pages += 1L
    totals.bytes += taken
    taken
  }

  /** Drops a page, which took so many bytes. */
  def removePage(group: Array[Byte], number: Long, taken: Long): Unit = {
    store.removePage(group, number)
    totals.pages -= 1L
    totals.bytes -= taken
  }
}
