package io.muntin.kernel.motions

/** Each window is a pane: `moveTo` clears the window and adds the pane's rows. No row leaves. */
final class PaneMotion extends Motion {
  private var from = 0L
  private var until = 0L

  override def evicts: Boolean = false

  override def start: Long = from

  override def end: Long = until

  // All rows are retained while any of them is needed.
  override def floor: Long = 0L

  override def startPartition(): Unit = ()

  override def arrive(arrived: Long): Unit = ()

  def moveTo(start: Long, end: Long): Unit = {
    clear()
    from = start
    until = end
    enter(start, end)
  }
}
