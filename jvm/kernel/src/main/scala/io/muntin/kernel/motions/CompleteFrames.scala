package io.muntin.kernel.motions

/**
 * Determines which rows have a complete frame: the frame, from `first` to `last` rows after the
 * current row, lies inside the partition. An unbounded end is always inside.
 */
final class CompleteFrames(first: Option[Long], last: Option[Long]) {
  private val ends = (first ++ last).toArray
  private val least = math.min(0L, ends.foldLeft(0L)(math.min(_, _)))
  private val most = math.max(0L, ends.foldLeft(0L)(math.max(_, _)))

  /** True if `holds` is known when the row arrives. */
  def isImmediate: Boolean = most == 0L

  /** Returns true if rows that have not arrived do not matter. */
  def isKnown(row: Long, arrived: Long): Boolean = row + most < arrived

  def holds(row: Long, arrived: Long): Boolean = row + least >= 0L && row + most < arrived
}

object CompleteFrames {

  /** Every frame counts as complete. */
  val Always: CompleteFrames = new CompleteFrames(None, None)
}
