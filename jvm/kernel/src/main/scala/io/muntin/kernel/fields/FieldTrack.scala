package io.muntin.kernel.fields

/**
 * Which results of a field's windows one motion finds: of the windows in turn each `lanes`-th, from
 * the `lane`-th on; of each the result at its `point`-th point, counted from 1, or with 0 at all of
 * its points.
 *
 * Both ends of a track's stretches only move forward. So where windows overlap and have results at
 * several points, there are several tracks: one for each point, or one for each of the windows that
 * are open at one time.
 *
 * @param overlaps
 *   the field's windows overlap
 */
final case class FieldTrack(lanes: Int, lane: Int, point: Int, overlaps: Boolean)

object FieldTrack {

  /** A row keeps at most this number of running results. */
  val Most: Int = 1024

  /**
   * The fewest tracks for `windows` that are open at one time, each with `points` results.
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
