package org.apache.spark.sql.muntin.execution.functions

/**
 * How rows come to a frame and leave it, as far as accumulators differ by it.
 *
 * @param evicts
 *   rows leave
 * @param hasHoles
 *   rows between its ends may be missing
 * @param isScattered
 *   rows leave in another order than that in which they came
 * @param isFollowed
 *   rows behind all that enter may be in every frame: rows of another task
 */
final case class FrameKind(
    evicts: Boolean,
    hasHoles: Boolean = false,
    isScattered: Boolean = false,
    isFollowed: Boolean = false
)

object FrameKind {
  val Growing: FrameKind = FrameKind(evicts = false)
  val Sliding: FrameKind = FrameKind(evicts = true)
  val Pieced: FrameKind = FrameKind(evicts = true, hasHoles = true)
  val Scattered: FrameKind = FrameKind(evicts = true, hasHoles = true, isScattered = true)
}
