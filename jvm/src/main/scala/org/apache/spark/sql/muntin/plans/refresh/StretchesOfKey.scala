package org.apache.spark.sql.muntin.plans.refresh

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}

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
 *     changed at 100, since(sum(x), p), p is true at 80 and 130
 *     results      100 … 130     up to the next row for which p is true
 *     rows          80 … 130     from the last such row on
 *
 *     changed at 100, session(sum(x), 10), rows at 70, 85, 92, 108, 125
 *     results      100 … 108     consecutive rows are at most 10 apart
 *     rows          85 … 108
 *
 * Rows of equal times are in one stretch, as their order may depend on other columns. The changed
 * rows may have been counted before: a row for which the condition was true has ended windows. Then
 * the row itself is changed, and its own stretch begins there.
 *
 * @param reaches
 *   the reach of each operator, the lowest first
 * @param places
 *   the places of the key's rows in ascending order, for each condition that a reach counts; a null
 *   time is the least place
 * @param isCut
 *   whether the key may have rows before the first of `places`
 */
private[refresh] final class StretchesOfKey(
    reaches: Seq[Reach],
    places: Map[Expression, Array[Double]],
    isCut: Boolean
) {
  import StretchesOfKey._

  private val times = places.getOrElse(Literal.TrueLiteral, Array.empty[Double])
  private val behind = allOf(reaches.map(_.behind))
  private val read = allOf(reaches.map(_.read))
  private val ahead = allOf(reaches.map(_.ahead))
  private var isUnknown = false
  private var points = Array.empty[Double]
  private val sessions = mutable.Map.empty[Double, Sessions]

  /**
   * Returns the stretches; None if `times` does not have enough rows.
   *
   * @param changed
   *   the places of the changed rows; NaN if the time of one is not known
   */
  def of(changed: Array[Double]): Option[Seq[Stretch]] =
    if (changed.exists(_.isNaN)) Some(Seq(Whole))
    else {
      points = changed.sorted.distinct
      val made = merged(points).map { case (lo, hi) =>
        val readLo = read.fold(Double.NegativeInfinity)(_.foldRight(lo)((d, at) => before(at, d)))
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
    val toRows = distance.rows.map { rows =>
      val found = places(rows.condition)
      val i = count(found, place, isBefore = true) - rows.count
      if (i < 0L && isCut) isUnknown = true
      if (i >= 0L) found(i.toInt) else if (times.isEmpty) place else times.head
    }
    val toSession = distance.gap.map(sessionsOf(_).begin(place))
    (toRows ++ toSession).foldLeft(place - distance.time)(math.min)
  }

  private def after(place: Double, distance: Distance): Double = {
    val toRows = distance.rows.map { rows =>
      val found = places(rows.condition)
      val i = count(found, place, isBefore = false) + rows.count - 1L
      if (i < found.length) found(i.toInt) else if (times.isEmpty) place else times.last
    }
    val toSession = distance.gap.map(sessionsOf(_).end(place))
    (toRows ++ toSession).foldLeft(place + distance.time)(math.max)
  }

  // A deleted row may have been between two rows of a session.
  private def sessionsOf(gap: Double): Sessions =
    sessions.getOrElseUpdate(gap, new Sessions((times ++ points).sorted, gap))

  /** The sessions of rows at these places. */
  private final class Sessions(of: Array[Double], gap: Double) {
    private val begins = of.clone
    private val ends = of.clone

    for (i <- 1 until of.length) if (isNear(of(i - 1), of(i))) begins(i) = begins(i - 1)
    for (i <- of.length - 2 to 0 by -1) if (isNear(of(i), of(i + 1))) ends(i) = ends(i + 1)

    def begin(place: Double): Double = {
      val i = count(of, place, isBefore = true) - 1
      val begin = if (i >= 0 && isNear(of(i), place)) begins(i) else place
      if (isCut && times.headOption.forall(begin <= _)) isUnknown = true
      begin
    }

    def end(place: Double): Double = {
      val i = count(of, place, isBefore = false)
      if (i < of.length && isNear(place, of(i))) ends(i) else place
    }

    // Doubles round large times.
    private def isNear(place: Double, next: Double): Boolean =
      next == place || next - place <= gap + 4 * math.ulp(next)
  }

  /** Counts the rows before a place, or up to it. */
  private def count(places: Array[Double], place: Double, isBefore: Boolean): Int = {
    var low = 0
    var high = places.length
    while (low < high) {
      val middle = (low + high) >>> 1
      val isIn = if (isBefore) places(middle) < place else places(middle) <= place
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
