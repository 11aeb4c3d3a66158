package io.muntin.kernel.sums

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import scala.util.Random

import io.muntin.kernel.{Cases, MuntinSuite}
import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.merging.GrowingFold

class DecayedSumsSuite extends MuntinSuite {
  import DecayedSumsSuite._

  private val alphas = Seq("0.5", "0.001", "0.9375", "0.3", "1")

  private val byRows: Seq[(String, RowDecay, BigDecimal)] = for {
    alpha <- alphas
    adjusts <- Seq(true, false)
    ignores <- Seq(true, false)
  } yield (
    s"alpha $alpha, adjusts $adjusts, ignores $ignores",
    RowDecay.ofAlpha(new java.math.BigDecimal(alpha), adjusts, ignores),
    BigDecimal(alpha)
  )

  test("by rows: sums over every prefix, merged from partials that begin anywhere") {
    val random = new Random(1)
    for ((name, decay, alpha) <- byRows; (series, i) <- someSeries(random).zipWithIndex) {
      val oracle = new Oracle(alpha, decay.adjusts, decay.ignoresMissing)
      val running = new DecayedSums(DecayedSums.Pairs, decay)
      series.indices.foreach { n =>
        oracle.add(series(n))
        put(running, series(n))
        check(running, oracle, s"$name, series $i, up to $n")
        if (n % 7 == 0) {
          check(cut(series.take(n + 1), decay, random), oracle, s"$name, cut series $i, up to $n")
        }
      }
    }
  }

  test("by time: any partials; with adjusted values, in any order of times") {
    val random = new Random(2)
    for {
      halfLife <- Seq(1L, 3L, 1000L, 3600000000L)
      adjusts <- Seq(true, false)
      (series, i) <- someSeries(random).zipWithIndex
    } {
      val decay = new TimeDecay(halfLife, adjusts, NeighbourSeries.NoDisorder)
      val times = Iterator
        .iterate(1_700_000_000_000_000L)(_ + random.nextInt(3) * random.nextInt(2000))
        .take(series.size).toVector
      val rows = series.zip(times)
      val oracle = new TimeOracle(halfLife, adjusts)
      val running = new DecayedSums(DecayedSums.Pairs, decay)
      rows.foreach { case (row, time) =>
        oracle.add(row, time)
        put(running, row, time)
      }
      check(running, oracle, s"half-life $halfLife, adjusts $adjusts, series $i")
      val merged = new DecayedSums(DecayedSums.Pairs, decay)
      (if (adjusts) random.shuffle(rows) else rows).grouped(5).foreach { some =>
        val part = new DecayedSums(DecayedSums.Pairs, decay)
        some.foreach { case (row, time) => put(part, row, time) }
        merged.merge(part)
      }
      check(merged, oracle, s"half-life $halfLife, adjusts $adjusts, merged series $i")
    }
  }

  test("without adjusting, a decreasing time is an error") {
    val decay = new TimeDecay(10L, adjusts = false, NeighbourSeries.NoDisorder)
    val sums = new DecayedSums(DecayedSums.Values, decay)
    sums.add(1.0, 0.0, 5L)
    assertThrows[IllegalArgumentException](sums.add(1.0, 0.0, 4L))
  }

  test("the error does not grow with the length of a series") {
    val random = new Random(3)
    for (adjusts <- Seq(true, false); alpha <- Seq("0.25", "0.00001")) {
      val decay = RowDecay.ofAlpha(new java.math.BigDecimal(alpha), adjusts, true)
      val oracle = new Oracle(BigDecimal(alpha), adjusts, true)
      val running = new DecayedSums(DecayedSums.Pairs, decay)
      (1 to (if (Cases.isLong) 30000 else 12000)).foreach { n =>
        val row = Some((1e6 + random.nextGaussian(), random.nextGaussian() * 1e-3))
        oracle.add(row)
        put(running, row)
        if (n % 3000 == 0) check(running, oracle, s"alpha $alpha, row $n")
      }
    }
  }

  test("half-life, span and center of mass define the weights") {
    def one(decay: RowDecay) = (decay.high(0), decay.alphaHigh)
    def exact(beta: Double) = (beta, 1 - beta)
    assert(one(RowDecay.ofHalfLife(big("1"), true, true)) === exact(0.5))
    assert(one(RowDecay.ofSpan(big("3"), true, true)) === exact(0.5))
    assert(one(RowDecay.ofCenter(big("3"), true, true)) === exact(0.75))
    assert(one(RowDecay.ofHalfLife(big("0.0001"), true, true)) === exact(0.0))
    val half = RowDecay.ofHalfLife(big("7"), true, true)
    val seventh = exactOf(half.high(0), half.low(0)).pow(7)
    assert((seventh - BigDecimal("0.5")).abs < BigDecimal("1e-31"))
  }

  test("weights by time are right within 2^-50") {
    val random = new Random(4)
    (1 to 2000).foreach { _ =>
      val halfLife = 1L + random.nextInt(1000000)
      val time = random.nextLong() >> random.nextInt(40)
      val rest = Math.floorMod(time, halfLife)
      val exact = exp2(BigDecimal(rest, Digits) / BigDecimal(halfLife))
      val found = new TimeDecay(halfLife, true, NeighbourSeries.NoDisorder).significand(time)
      assert(((BigDecimal(found) - exact) / exact).abs < BigDecimal(Math.scalb(1.0, -50)))
    }
  }

  test("equal values have this mean and no spread; one value has only a biased spread") {
    val decay = RowDecay.ofAlpha(big("0.3"), true, false)
    val sums = new DecayedSums(DecayedSums.Pairs, decay)
    (1 to 50).foreach { i =>
      sums.add(0.1, i.toDouble, 0L)
      assert(sums.hasSpread(isBiased = true) && sums.hasSpread(isBiased = false) === (i > 1))
    }
    assert(sums.mean === 0.1 && sums.variance(isBiased = false) === 0.0 && !sums.varies)
    assert(sums.covariance(isBiased = true) === 0.0)
  }

  test("a value that is not finite, or too large, determines the result while it is present") {
    def mean(values: Double*) = {
      val sums = new DecayedSums(DecayedSums.Values, RowDecay.ofAlpha(big("0.3"), true, false))
      values.foreach(sums.add(_, 0.0, 0L))
      sums.mean
    }
    val infinity = Double.PositiveInfinity
    assert(mean(1.0, infinity, 2.0) === infinity && mean(1.0, -infinity) === -infinity)
    assert(mean(infinity, -infinity).isNaN && mean(Double.NaN, 1.0).isNaN)
    assert(mean(1e300, 1.0) === infinity && mean(1e288, 1e288) === 1e288)
  }

  test("a long gap without values does not change the mean") {
    val decay = RowDecay.ofAlpha(big("0.5"), true, false)
    val sums = new DecayedSums(DecayedSums.Pairs, decay)
    Seq(1.0, 2.0).foreach(sums.add(_, 3.0, 0L))
    val before = sums.mean
    (1 to 5000).foreach(_ => sums.miss())
    assert(sums.mean === before)
    sums.add(7.0, 3.0, 0L)
    assert(sums.mean === 7.0)
  }

  test("rows of columns: nulls, and rows whose mark is null") {
    val random = new Random(5)
    val column = new DoubleColumn(Memory.Unlimited, nullable = true)
    val marks = new DoubleColumn(Memory.Unlimited, nullable = true)
    Seq(column, marks).foreach(_.addReader(NeighbourSeries.AllRows))
    val rows = (0 until 40).map(_ =>
      (
        random.nextInt(4) > 0,
        Option.when(random.nextInt(4) > 0)(
          random.nextGaussian()
        )
      )
    )
    rows.foreach { case (passes, value) =>
      value.fold(column.appendNull())(column.append)
      if (passes) marks.append(1.0) else marks.appendNull()
    }
    val decay = RowDecay.ofAlpha(big("0.3"), true, false)
    val fold = new DecayedRows(DecayedSums.Values, decay, column, None, None, Some(marks))
    val running = GrowingFold(fold)
    running.clear()
    running.enter(0L, rows.size.toLong)
    val expected = new DecayedSums(DecayedSums.Values, decay)
    rows.filter(_._1).foreach(row => row._2.fold(expected.miss())(expected.add(_, 0.0, 0L)))
    assert(fold.current.mean === expected.mean && fold.current.count === expected.count)
  }

  private def check(sums: DecayedSums, oracle: Sums, where: String): Unit = {
    assert(sums.count === oracle.count, where)
    if (oracle.count > 0L) {
      near(sums.mean, oracle.mean, oracle.size * oracle.meanSlack, where)
      near(sums.covariance(true), oracle.covariance(true), oracle.squares * Slack, where)
      near(sums.variance(true), oracle.variance(true), oracle.variance(true) * Slack, where)
      if (oracle.count == 1L) assert(!sums.hasSpread(isBiased = false), where)
      if (oracle.hasSpread) {
        assert(sums.hasSpread(isBiased = false), where)
        val factor = oracle.unbiased
        near(
          sums.variance(false),
          oracle.variance(true) * factor,
          oracle.variance(true) * factor * Slack,
          where
        )
        near(
          sums.covariance(false),
          oracle.covariance(true) * factor,
          oracle.squares * factor * Slack,
          where
        )
      }
    }
  }

  private def near(found: Double, exact: BigDecimal, error: BigDecimal, where: String): Unit = {
    // The oracle has ninety digits.
    val isNear = (BigDecimal(found) - exact).abs <= error + BigDecimal("1e-40")
    if (!isNear) fail(s"$where: $found is not ${exact.toDouble} within ${error.toDouble}")
  }

  private def put(sums: DecayedSums, row: Option[(Double, Double)], time: Long = 0L): Unit =
    row.fold(sums.miss()) { case (x, y) => sums.add(x, y, time) }

  /** The sums over rows, merged from partials by a random tree, each written and read. */
  private def cut(
      rows: Seq[Option[(Double, Double)]],
      decay: Decay,
      random: Random
  ): DecayedSums = {
    val made = new DecayedSums(DecayedSums.Pairs, decay)
    if (rows.size <= 3) rows.foreach(put(made, _))
    else {
      val (some, others) = rows.splitAt(1 + random.nextInt(rows.size - 1))
      made.merge(cut(some, decay, random))
      if (random.nextBoolean()) made.merge(cut(others, decay, random))
      else others.foreach(put(made, _))
    }
    val bytes = new ByteArrayOutputStream
    made.save(new DataOutputStream(bytes))
    val read = new DecayedSums(DecayedSums.Pairs, decay)
    read.add(99.0, 98.0, 1L)
    read.restore(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray)))
    read
  }
}

object DecayedSumsSuite {
  private val Digits = new java.math.MathContext(90)

  // Eight units in the last place.
  private val Slack = BigDecimal(Math.scalb(1.0, -49))

  // Two of them.
  private val Small = BigDecimal(Math.scalb(1.0, -51))

  private def big(value: String) = new java.math.BigDecimal(value)

  private def exact(value: Double) = new BigDecimal(new java.math.BigDecimal(value), Digits)

  private def exactOf(high: Double, low: Double): BigDecimal =
    exact(high) + exact(low)

  /** Series of pairs, some of them missing. */
  private def someSeries(random: Random): Seq[Vector[Option[(Double, Double)]]] = {
    def series(missing: Int)(x: => Double, y: => Double) =
      Vector.fill(60)(Option.when(random.nextInt(6) >= missing)((x, y)))
    Seq(
      series(0)(random.nextGaussian(), random.nextGaussian()),
      series(2)(random.nextInt(5).toDouble, random.nextInt(3) - 1.0),
      series(5)(random.nextInt(100) / 8.0, 7.0),
      series(1)(1e6 + random.nextGaussian(), -1e6 + random.nextGaussian()),
      series(1)(Math.scalb(random.nextGaussian(), random.nextInt(60)), random.nextGaussian())
    )
  }

  private def exp2(x: BigDecimal): BigDecimal = {
    val z = x * BigDecimal("0.693147180559945309417232121458176568075500134360255254120680009493")
    Iterator.iterate((BigDecimal(1, Digits), 1))(t => (t._1 * z / t._2, t._2 + 1))
      .take(60).map(_._1).sum
  }

  /** Weights, one for each value, and their results. */
  private abstract class Sums {
    protected var w = zero
    protected var ww = zero
    protected var x = zero
    protected var y = zero
    protected var xx = zero
    protected var yy = zero
    protected var xy = zero
    protected var ax = zero
    protected var ay = zero
    var count = 0L

    /** The maximum error of a mean, in units of the mean of absolute values. */
    def meanSlack: BigDecimal

    private def zero = BigDecimal(0, Digits)

    protected final def shrink(f: BigDecimal): Unit = {
      w = small(w * f); ww = small(ww * f * f); x = small(x * f); y = small(y * f)
      xx = small(xx * f); yy = small(yy * f); xy = small(xy * f); ax = small(ax * f)
      ay = small(ay * f)
    }

    private def small(value: BigDecimal) = value.round(Digits)

    protected final def put(weight: BigDecimal, a: Double, b: Double): Unit = {
      val u = exact(a)
      val v = exact(b)
      w += weight; ww += weight * weight
      x += weight * u; y += weight * v
      xx += weight * u * u; yy += weight * v * v; xy += weight * u * v
      ax += weight * u.abs; ay += weight * v.abs
      count += 1L
    }

    def mean: BigDecimal = x / w
    def size: BigDecimal = ax / w
    def variance(isBiased: Boolean): BigDecimal =
      (w * xx - x * x) / w / w * (if (isBiased) BigDecimal(1) else unbiased)
    def covariance(isBiased: Boolean): BigDecimal =
      (w * xy - x * y) / w / w * (if (isBiased) BigDecimal(1) else unbiased)

    /** The maximum of covariances. */
    def squares: BigDecimal = {
      val v = variance(true).max(BigDecimal(0)) * ((w * yy - y * y) / w / w).max(BigDecimal(0))
      BigDecimal(Math.sqrt(v.toDouble))
    }
    def hasSpread: Boolean = count > 1L && (w * w - ww) > BigDecimal("1e-40") * w * w
    def unbiased: BigDecimal = w * w / (w * w - ww)
  }

  /** By rows, as defined by pandas. */
  private final class Oracle(said: BigDecimal, adjusts: Boolean, ignores: Boolean) extends Sums {
    private val alpha = new BigDecimal(said.bigDecimal, Digits)
    private val beta = BigDecimal(1, Digits) - alpha
    private var gap = 0

    override def meanSlack: BigDecimal = Small

    def add(row: Option[(Double, Double)]): Unit = row match {
      case None => if (!ignores) gap += 1
      case Some((a, b)) =>
        val f = beta.pow(gap + 1)
        if (count == 0L) put(BigDecimal(1, Digits), a, b)
        else if (adjusts) {
          shrink(f)
          put(BigDecimal(1, Digits), a, b)
        } else {
          shrink(f)
          put(alpha, a, b)
          val all = BigDecimal(1, Digits) / w
          shrink(all)
        }
        gap = 0
    }
  }

  private final class TimeOracle(halfLife: Long, adjusts: Boolean) extends Sums {
    private var latest = 0L

    override def meanSlack: BigDecimal = Slack

    // Weights that underflow a double do not count.
    def add(row: Option[(Double, Double)], time: Long): Unit = row.foreach { case (a, b) =>
      val gap = if (count == 0L) 0L else time - latest
      latest = time
      val times = (BigDecimal(gap, Digits) / BigDecimal(halfLife)).min(BigDecimal(5000))
      val whole = times.toLong
      val one = BigDecimal(1, Digits)
      val left = one / (exp2(times - whole) * BigDecimal(2, Digits).pow(whole.toInt))
      val weight = if (adjusts || count == 0L) one else one - left
      shrink(left)
      put(weight, a, b)
    }
  }
}
