package org.apache.spark.sql.muntin.execution.functions

/**
 * How rows enter and leave a frame, as far as accumulators differ by it.
 *
 * @param evicts
 *   whether rows leave
 * @param hasHoles
 *   whether rows between its ends may be missing
 * @param isScattered
 *   whether rows leave in another order than they came
 * @param isFollowed
 *   whether rows of another task, behind all rows that enter, may be in every frame
 * @param leaps
 *   whether its ends go back and forth, without holes between them
 */
final case class FrameKind(
    evicts: Boolean,
    hasHoles: Boolean = false,
    isScattered: Boolean = false,
    isFollowed: Boolean = false,
    leaps: Boolean = false
)

object FrameKind {
  val Growing: FrameKind = FrameKind(evicts = false)
  val Sliding: FrameKind = FrameKind(evicts = true)
  val Leaping: FrameKind = FrameKind(evicts = true, leaps = true)
  val Pieced: FrameKind = FrameKind(evicts = true, hasHoles = true)
  val Scattered: FrameKind = FrameKind(evicts = true, hasHoles = true, isScattered = true)
}
