package io.muntin.kernel.sums

import java.math.{BigDecimal => JBigDecimal, MathContext}

import scala.util.Random

import io.muntin.kernel.MuntinSuite

class TimeWeightedSumSuite extends MuntinSuite {
  import NeighbourSeries._

  private val digits = new MathContext(200)

  private def wanted(rows: Seq[(Double, Long)], isLinear: Boolean): Double = {
    val area = rows.zip(rows.drop(1)).map { case ((x, t), (y, u)) =>
      val length = new BigDecimal(new JBigDecimal(u).subtract(new JBigDecimal(t)), digits)
      val value = new BigDecimal(new JBigDecimal(x), digits)
      if (isLinear) (value + new JBigDecimal(y)) * length / 2 else value * length
    }.foldLeft(BigDecimal(0, digits))(_ + _)
    (area / BigDecimal(rows.last._2 - rows.head._2)).doubleValue
  }

  test("correctly rounded for any division of the rows") {
    val random = new Random(1)
    for (isLinear <- Seq(false, true); round <- 1 to 300) {
      def make() = new TimeWeightedSum(isLinear, NoDisorder)
      val longest = if (round % 5 == 0) Long.MaxValue / 100 else 10L
      val rows = Iterator
        .iterate((0.0, -1000L)) { case (_, t) =>
          val length = if (random.nextInt(4) == 0) 0L else Math.floorMod(random.nextLong(), longest)
          (Math.scalb(random.nextGaussian(), random.nextInt(80) - 40), t + length)
        }
        .take(2 + random.nextInt(30)).toVector
      val found = cut[(Double, Long), TimeWeightedSum](rows, random, () => make()) {
        case (sum, (x, t)) => sum.add(x, t)
      }
      assert(found.isInstant === (rows.head._2 == rows.last._2))
      if (!found.isInstant) assert(found.average === wanted(rows, isLinear))
    }
  }

  test("the page's example") {
    def average(isLinear: Boolean) = {
      val sum = new TimeWeightedSum(isLinear, NoDisorder)
      Seq((4.0, 0L), (1.0, 10L), (7.0, 30L)).foreach { case (x, t) => sum.add(x, t) }
      sum.average
    }
    assert(average(isLinear = false) === 2.0 && average(isLinear = true) === 3.5)
  }

  test("a value that is not finite determines the result while it holds") {
    def average(isLinear: Boolean, rows: (Double, Long)*) = {
      val sum = new TimeWeightedSum(isLinear, NoDisorder)
      rows.foreach { case (x, t) => sum.add(x, t) }
      sum.average
    }
    val infinity = Double.PositiveInfinity
    assert(average(false, 1.0 -> 0L, infinity -> 5L, 2.0 -> 5L, 3.0 -> 9L) === 13.0 / 9.0)
    assert(average(false, 1.0 -> 0L, infinity -> 5L) === 1.0)
    assert(average(true, 1.0 -> 0L, infinity -> 5L) === infinity)
    assert(average(false, Double.NaN -> 0L, 2.0 -> 5L).isNaN)
  }

  test("a decreasing time is an error, in rows and in partials") {
    def sum(times: Long*) = {
      val made = new TimeWeightedSum(false, NoDisorder)
      times.foreach(made.add(1.0, _))
      made
    }
    assertThrows[IllegalArgumentException](sum(5L, 4L))
    assertThrows[IllegalArgumentException](sum(5L, 6L).merge(sum(4L)))
  }

  /** The value that holds at a time, or is on the line between two values, by definition. */
  private def height(rows: Seq[(Double, Long)], isLinear: Boolean, time: Long): Option[Double] = {
    val before = rows.takeWhile(_._2 <= time).lastOption
    val after = rows.find(_._2 >= time)
    if (!isLinear) before.map(_._1)
    else
      for ((x, t) <- before; (y, u) <- after)
        yield if (t == u) x else x + (y - x) * (time - t) / (u - t)
  }

  test("cut at times: each piece with the values at its ends") {
    val random = new Random(5)
    for (isLinear <- Seq(false, true); _ <- 1 to 300) {
      // Distances are powers of two, so that values on a line are exact.
      val rows = Seq.iterate((0.0, 0L), 2 + random.nextInt(6)) { case (_, t) =>
        (random.nextInt(1000) / 8.0, t + (1L << random.nextInt(7)))
      }
      def part(of: Seq[(Double, Long)]): TimeWeightedSum =
        if (of.isEmpty) null
        else {
          val sum = new TimeWeightedSum(isLinear, NoDisorder)
          of.foreach { case (x, t) => sum.add(x, t) }
          sum
        }
      val start = random.nextInt(200).toLong - 20L
      val end = start + 1L + random.nextInt(60)
      val (before, others) = rows.span(_._2 < start)
      val (within, after) = others.span(_._2 < end)
      val found = new TimeWeightedSum(isLinear, NoDisorder)
      found.between(part(before), part(within), part(after), start, end)
      val ends = (at: Long) => height(rows, isLinear, at).map(_ -> at)
      val pieces = ends(start).toSeq ++ within.dropWhile(_._2 == start) ++ ends(end)
      assert(found.isInstant === pieces.forall(_._2 == pieces.head._2))
      if (!found.isInstant) {
        assert(found.average === wanted(pieces, isLinear), s"$rows from $start until $end")
      }
    }
  }
}
