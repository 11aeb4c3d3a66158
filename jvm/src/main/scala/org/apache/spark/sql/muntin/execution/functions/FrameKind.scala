package org.apache.spark.sql.muntin.execution.functions

/**
 * How rows enter and leave a frame: the aspects that matter to accumulators.
 *
 * @param evicts
 *   whether rows leave
 * @param hasHoles
 *   whether rows between its ends may be missing
 * @param isScattered
 *   whether rows leave in another order than they arrived
 * @param isFollowed
 *   whether every frame may contain rows of another task that follow all rows that enter
 * @param isNonMonotonic
 *   whether its ends move back and forth, without holes between them
 */
final case class FrameKind(
    evicts: Boolean,
    hasHoles: Boolean = false,
    isScattered: Boolean = false,
    isFollowed: Boolean = false,
    isNonMonotonic: Boolean = false
)

object FrameKind {
  val Growing: FrameKind = FrameKind(evicts = false)
  val Sliding: FrameKind = FrameKind(evicts = true)
  val NonMonotonic: FrameKind = FrameKind(evicts = true, isNonMonotonic = true)
  val Pieced: FrameKind = FrameKind(evicts = true, hasHoles = true)
  val Scattered: FrameKind = FrameKind(evicts = true, hasHoles = true, isScattered = true)
}
