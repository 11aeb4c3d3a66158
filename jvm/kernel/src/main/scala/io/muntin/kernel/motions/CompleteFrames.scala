package io.muntin.kernel.motions

/**
 * Which rows have a frame without a missing row: the frame, from `first` to `last` rows after the
 * current row, lies inside the partition. An end that is unbounded always lies inside.
 *
 * Cost per row: two comparisons. Guarded by PiecedMotionSuite.
 */
final class CompleteFrames(first: Option[Long], last: Option[Long]) {
  private val ends = (first ++ last).toArray
  private val least = math.min(0L, ends.foldLeft(0L)(math.min(_, _)))
  private val most = math.max(0L, ends.foldLeft(0L)(math.max(_, _)))

  /** Whether `holds` is known as soon as the row has arrived. */
  def isImmediate: Boolean = most == 0L

  /** Whether rows that have not arrived do not matter any more. */
  def isKnown(row: Long, arrived: Long): Boolean = row + most < arrived

  def holds(row: Long, arrived: Long): Boolean = row + least >= 0L && row + most < arrived
}

object CompleteFrames {

  /** Every row's frame is good as it is. */
  val Always: CompleteFrames = new CompleteFrames(None, None)
}
