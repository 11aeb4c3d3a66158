package io.muntin.kernel

/**
 * The rows of a pane, which lie scattered among those of others: each in turn, none leaves. Accumulators
 * of growing frames do, as they copy what they keep.
 */
final class PaneMotion extends Motion {
  private var rows = 0

  override def evicts: Boolean = false

  override def start: Long = 0L

  override def end: Long = rows.toLong

  // All rows are there for as long as any of them is asked for.
  override def floor: Long = 0L

  override def startPartition(): Unit = ()

  override def arrive(arrived: Long): Unit = ()

  /** The pane is the rows at `positions`, which ascend, from index `from` until `until`. */
  def become(positions: Array[Int], from: Int, until: Int): Unit = {
    clear()
    rows = until - from
    var i = from
    while (i < until) {
      val first = positions(i)
      var next = first + 1
      i += 1
      while (i < until && positions(i) == next) {
        next += 1
        i += 1
      }
      enter(first.toLong, next.toLong)
    }
  }
}
