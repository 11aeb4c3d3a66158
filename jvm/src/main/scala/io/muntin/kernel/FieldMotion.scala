package io.muntin.kernel

/**
 * The windows [s, s + size) over the values of a field, in the order of the field, whose starts s are
 * `advance` apart. A window opens when its start is reached; after a gap of `size` or more (and at the
 * first row) only the latest that contains the row, or with `all` every one that does.
 *
 * A row may stand for the rows of a pane, which every window has all of or none: `values` are the least of
 * them, `reach` the greatest.
 *
 * Cost per row: one in, one out, and two comparisons per window. Source: StreamBase's field dimension.
 * Guarded by FieldMotionSuite.
 */
final class FieldMotion(
    values: LongColumn,
    reach: LongColumn,
    size: Long,
    advance: Long,
    offset: Long,
    all: Boolean
) extends StretchMotion {
  private var opened = false
  private var open = 0L
  private var lower = 0L
  private var upper = 0L
  // The greatest value of the rows before `lower`.
  private var reached = 0L

  /** Where the current window begins. */
  def opening: Long = open

  def closing: Long = open + size

  override def floor: Long = math.min(start, lower)

  override def startPartition(): Unit = {
    super.startPartition()
    opened = false
    lower = 0L
    upper = 0L
    reached = Long.MinValue
  }

  override def arrive(arrived: Long): Unit = ()

  override def next(arrived: Long, ended: Boolean): Boolean =
    if (!find(arrived)) false
    else {
      while (upper < arrived && values(upper) < open + size) upper += 1
      if (upper == arrived && !ended) false
      else {
        moveTo(lower, upper)
        opened = false
        true
      }
    }

  /** Finds the next window's start and its first row, if that has arrived. */
  private def find(arrived: Long): Boolean = {
    if (!opened && end > 0L) {
      while (lower < arrived && values(lower) < open + advance) {
        reached = math.max(reached, reach(lower))
        lower += 1
      }
    }
    if (!opened && lower < arrived) {
      val value = values(lower)
      if (lower > 0L && value - reached < size) open += advance
      else open = first(value)
      upper = math.max(upper, lower)
      opened = true
    }
    opened
  }

  private def first(value: Long): Long = {
    val latest = offset + Math.floorDiv(value - offset, advance) * advance
    if (all) latest - Math.floorDiv(latest + size - 1 - value, advance) * advance else latest
  }
}
