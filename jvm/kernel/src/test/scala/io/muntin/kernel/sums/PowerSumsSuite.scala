package io.muntin.kernel.sums

import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.Series
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class PowerSumsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ExactSumSuite.same

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  private val values = Series.momentous.map(_.flatten)

  private def of(values: Seq[Double], room: Int = Chunks.Room): PowerSums = {
    val sums = new PowerSums(4, room)
    values.foreach(sums.add)
    sums
  }

  private def check(sums: PowerSums, values: Seq[Double]) = {
    assert(sums.count === values.size)
    if (values.isEmpty) assert(same(sums.sum, 0.0)) else MomentsSuite.check(sums, values)
  }

  test("neither the order of entering and leaving rows nor the division into parts matters") {
    forAll(values, values, values, Gen.long) { (a, b, go, seed) =>
      val random = new scala.util.Random(seed)
      val sums = of(b)
      val kept = (1 to 4).map(power => ChunkSum(ChunkSum.FloatingPoint(power))).toArray
      val parts = of(random.shuffle(a ++ go))
      kept.indices.foreach(i => parts.keep(i, kept(i)))
      sums.restore(parts.count, kept)
      b.foreach(sums.add)
      random.shuffle(go).foreach(sums.subtract)
      check(sums, a ++ b)
      sums.clear()
      check(sums, Nil)
      b.foreach(sums.add)
      check(sums, b)
    }
  }

  test("if there is no room, the carries are propagated") {
    forAll(values, values, Gen.choose(1, 40)) { (a, b, room) =>
      val sums = of(a, room)
      check(sums, a)
      b.foreach(sums.add)
      check(sums, a ++ b)
      a.foreach(sums.subtract)
      check(sums, b)
    }
  }

  test("a lower order gives the same bits") {
    forAll(values) { v =>
      val sums = of(v)
      for (order <- 2 to 3) {
        val fewer = new PowerSums(order)
        v.foreach(fewer.add)
        assert(same(fewer.variance(0), sums.variance(0)))
        assert(order < 3 || same(fewer.skewness, sums.skewness))
      }
    }
  }

  test("every bit of every power counts: neighbors with known moments") {
    val random = new scala.util.Random(11)
    for (_ <- 0 until 20000) {
      val x = 1.0 + random.nextDouble()
      val sums = of(Seq(x - Math.ulp(x), x, x + Math.ulp(x)))
      assert(sums.standardDeviation(1) === Math.ulp(x))
      assert(sums.skewness === 0.0)
      assert(sums.excessKurtosis === -1.5)
    }
  }

  test("known values: small, constant, far from zero, and at both limits of the doubles") {
    val four = of(Seq(-10.0, -20.0, 100.0, 1000.0))
    assert(math.abs(four.skewness - 1.1135657469022011) <= 3e-16)
    assert(math.abs(four.excessKurtosis - -0.7014368047529627) <= 3e-16)
    val constant = of(Seq.fill(1000)(0.1))
    assert(constant.isConstant)
    assert(same(constant.variance(1), 0.0))
    val far = of(Seq(1e9 + 1, 1e9 + 2, 1e9 + 3))
    assert(far.variance(1) === 1.0)
    assert(far.skewness === 0.0)
    assert(far.excessKurtosis === -1.5)
    val huge = of(Seq(1e300, 3e300))
    assert(huge.m2 === Double.PositiveInfinity)
    assert(huge.standardDeviation(0) === 1e300)
    val tiny = of(Seq(Double.MinPositiveValue, 3 * Double.MinPositiveValue))
    assert(tiny.m2 === 0.0)
    assert(!tiny.isConstant)
    assert(tiny.standardDeviation(0) === Double.MinPositiveValue)
    assert(tiny.excessKurtosis === -2.0)
  }
}
