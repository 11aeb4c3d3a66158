package io.muntin.kernel.fields

/**
 * Selects which results of a field's windows one motion computes: every `lanes`-th window, from
 * window `lane` on, with the result at its `point`-th point, counted from 1, or with 0 at all of
 * its points.
 *
 * Both ends of a track's ranges only move forward. So if windows overlap and have results at
 * several points, there are several tracks: one for each point, or one for each window that is open
 * at the same time.
 *
 * @param overlaps
 *   true if the field's windows overlap
 */
final case class FieldTrack(lanes: Int, lane: Int, point: Int, overlaps: Boolean)

object FieldTrack {

  /** The maximum number of running results of a row. */
  val Most: Int = 1024

  /**
   * Returns the fewest tracks for `windows` windows that are open at the same time, each with
   * `points` results.
   */
  def all(windows: Long, points: Long): Seq[FieldTrack] =
    if (windows == 1L) Seq(FieldTrack(1, 0, 0, overlaps = false))
    else if (windows <= points) {
      (0 until toInt(windows)).map(lane => FieldTrack(toInt(windows), lane, 0, overlaps = true))
    } else (1 to toInt(points)).map(point => FieldTrack(1, 0, point, overlaps = true))

  private def toInt(tracks: Long): Int = {
    require(tracks <= Most, s"$tracks tracks")
    tracks.toInt
  }
}
