package io.muntin.kernel

/**
 * The windows of rows that are valid from their start until their end, which is not in it any more: rows
 * come in the order of their starts and leave in that of their ends. A null end is never; a row that ends
 * where it starts is valid nowhere.
 *
 * Its rows lie in `slots`, so that those that stay long do not hold all that came after them.
 *
 * A row without a start, or that ends before it, is an UnfitRow, which names the `condition` that the others
 * meet.
 *
 * Cost per row: one copy of each value, one in, one out, and its way through `Ends`. Source: snapshots of
 * Kraemer and Seeger, "Semantics and Implementation of Continuous Sliding Window Queries over Data
 * Streams" (TODS 2009), found by a sweep over the ends as Piatov and Helmer have it, "Sweeping-Based
 * Temporal Aggregation" (SSTD 2017). Guarded by ValidityMotionSuite.
 */
abstract class ValidityMotion(
    memory: Memory,
    starts: Column,
    ends: Column,
    slots: Slots,
    condition: String
) extends GroupMotion {
  protected final val until: Column = slots.column(ends)
  protected final val leaving = new Ends(memory, until)

  /** The times that windows begin and end at, beyond the rows that they come from. */
  protected final val times: Column = starts.cells(2)

  /** The next row to come. */
  protected final var row = 0L

  /** The column in which `from` and `to` are positions. */
  final def bounds: Column = times

  /** When the current window begins. */
  def from: Long

  /** When it ends: null for never, or where that is not told. */
  def to: Long

  override def evicts: Boolean = true

  final override def start: Long = 0L

  final override def end: Long = slots.capacity.toLong

  final override def size: Long = slots.size.toLong

  final override def floor: Long = row

  override def startPartition(): Unit = {
    clear()
    slots.clear()
    leaving.clear()
    row = 0L
  }

  final override def arrive(arrived: Long): Unit = {
    val p = arrived - 1
    if (starts.isNull(p)) throw unfit("start", "null")
    if (!ends.isNull(p) && ends.compareTo(p, starts, p) < 0) {
      throw unfit("end", "before the start")
    }
  }

  private def unfit(parameter: String, what: String): UnfitRow =
    new UnfitRow(parameter, s"$what; leave such rows out: WHERE $condition")

  protected final def isNowhere: Boolean =
    !ends.isNull(row) && ends.compareTo(row, starts, row) == 0

  protected final def comes(): Unit = {
    val slot = slots.take(row)
    if (!until.isNull(slot.toLong)) leaving.add(slot)
    enter(slot.toLong, slot + 1L)
    row += 1
  }

  protected final def leaves(): Unit = {
    val slot = leaving.take()
    leave(slot.toLong, slot + 1L)
    slots.give(slot)
  }

  override def close(): Unit = {
    super.close()
    leaving.close()
    times.close()
  }
}
