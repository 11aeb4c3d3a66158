package org.apache.spark.sql.muntin.streaming

/**
 * A partition's state, as its groups see it. Groups that stay in memory outlive the store of one
 * micro-batch, so they hold a StreamState, which receives the store of each micro-batch.
 */
final class StreamState extends GroupPages {
  val totals = new StreamTotals
  private var current: StreamStore = _

  def store: StreamStore = current

  /** Reads state from `store`, which is at a committed version, and writes to it. */
  def open(store: StreamStore): Unit = {
    current = store
    totals.read(store.totals)
  }

  override def page(group: Array[Byte], number: Long): Array[Byte] = store.page(group, number)

  override def putPage(group: Array[Byte], number: Long, page: StateOutput): Long = {
    store.putPage(group, number, page.bytes, page.length)
    val storedBytes = StreamStore.pageBytes(group, page.length)
    totals.pages += 1L
    totals.bytes += storedBytes
    storedBytes
  }

  override def removePage(group: Array[Byte], number: Long, storedBytes: Long): Unit = {
    store.removePage(group, number)
    totals.pages -= 1L
    totals.bytes -= storedBytes
  }
}
