package org.apache.spark.sql.muntin.plans.refresh

/**
 * Finds the affected stretches of one key from the places of its changed rows on the time axis.
 *
 *     changed at 100, 103 and 900, RANGE 7 PRECEDING
 *     results      100 … 110,   900 … 907
 *     rows          93 … 110,   893 … 907
 *
 *     changed at 100, ROWS 2 PRECEDING, rows at 80, 90, 90, 100, 120, 130, 140
 *     results      100 … 130     the next two results
 *     rows          90 … 130     the two rows before
 *
 * Rows of equal times are in one stretch, as their order may depend on other columns.
 *
 * @param reaches
 *   the reach of each operator, the lowest first
 * @param times
 *   the places of the key's rows in ascending order, if a reach counts rows; a null time is the
 *   least place
 * @param isCut
 *   whether the key may have rows before the first of `times`
 */
private[refresh] final class StretchesOfKey(
    reaches: Seq[Reach],
    times: Array[Double],
    isCut: Boolean
) {
  import StretchesOfKey._

  private val behind = allOf(reaches.map(_.behind))
  private val ahead = allOf(reaches.map(_.ahead))
  private var isUnknown = false

  /**
   * Returns the stretches; None if `times` does not have enough rows.
   *
   * @param points
   *   the places of the changed rows; NaN if the time of one is not known
   */
  def of(points: Array[Double]): Option[Seq[Stretch]] =
    if (points.exists(_.isNaN)) Some(Seq(Whole))
    else {
      val made = merged(points.sorted.distinct).map { case (lo, hi) =>
        val readLo = behind.fold(Double.NegativeInfinity)(_.foldRight(lo)((d, at) => before(at, d)))
        val readHi = ahead.fold(Double.PositiveInfinity)(_.foldRight(hi)((d, at) => after(at, d)))
        Stretch(lo, hi, readLo, readHi)
      }
      if (isUnknown) None else Some(made)
    }

  /** Returns the first and the last affected result of each stretch. */
  private def merged(points: Array[Double]): Seq[(Double, Double)] = {
    val found = Seq.newBuilder[(Double, Double)]
    var (lo, hi) = affected(points.head)
    for (point <- points.tail) {
      val (from, until) = affected(point)
      if (from > hi) {
        found += lo -> hi
        lo = from
      }
      hi = math.max(hi, until)
    }
    found += lo -> hi
    found.result()
  }

  private def affected(point: Double): (Double, Double) = (
    ahead.fold(Double.NegativeInfinity)(_.foldLeft(point)(before)),
    behind.fold(Double.PositiveInfinity)(_.foldLeft(point)(after))
  )

  private def before(place: Double, distance: Distance): Double = {
    val byTime = place - distance.time
    if (distance.rows == 0) byTime
    else {
      val i = count(place, isBefore = true) - distance.rows
      if (i < 0 && isCut) isUnknown = true
      if (times.isEmpty) byTime else math.min(byTime, times(math.max(0, i)))
    }
  }

  private def after(place: Double, distance: Distance): Double = {
    val byTime = place + distance.time
    if (distance.rows == 0 || times.isEmpty) byTime
    else {
      val i = count(place, isBefore = false) + distance.rows - 1
      math.max(byTime, times(math.min(times.length - 1, i)))
    }
  }

  /** Counts the rows before a place, or up to it. */
  private def count(place: Double, isBefore: Boolean): Int = {
    var low = 0
    var high = times.length
    while (low < high) {
      val middle = (low + high) >>> 1
      val isIn = if (isBefore) times(middle) < place else times(middle) <= place
      if (isIn) low = middle + 1 else high = middle
    }
    low
  }

  private def allOf(distances: Seq[Option[Distance]]): Option[Seq[Distance]] =
    if (distances.contains(None)) None else Some(distances.flatten)
}

private[refresh] object StretchesOfKey {

  /**
   * A stretch of a key.
   *
   * @param lo
   *   the first affected result
   * @param hi
   *   the last affected result
   * @param readLo
   *   the first row to read
   * @param readHi
   *   the last row to read
   */
  final case class Stretch(lo: Double, hi: Double, readLo: Double, readHi: Double)

  val Whole: Stretch = Stretch(
    Double.NegativeInfinity,
    Double.PositiveInfinity,
    Double.NegativeInfinity,
    Double.PositiveInfinity
  )
}
