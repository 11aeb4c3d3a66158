package io.muntin.kernel.sums

import io.muntin.kernel.{Fraction, Series}
import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ChunkSumSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ExactSumSuite.{exactMean, exactSum, same}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val values = Series.nullable.map(_.flatten)

  private def of(values: Seq[Double], room: Int = Chunks.Room): ChunkSum = {
    val sum = ChunkSum(ChunkSum.FloatingPoint(1), room)
    values.foreach(sum.add(_: Double))
    sum
  }

  private def check(sum: ChunkSum, values: Seq[Double]) = {
    assert(same(sum.sum, exactSum(values)))
    // Whether its window is as narrow as possible.
    if (values.size % 2 == 0) sum.normalize()
    assert(same(sum.sum, exactSum(values)))
    if (values.isEmpty) assert(same(sum.sum, 0.0))
    else assert(same(sum.mean(values.size.toLong), exactMean(values)))
  }

  test("the sum and the mean are the doubles nearest to the exact values") {
    forAll(values)(v => check(of(v), v))
  }

  test("the order in which values enter and leave does not matter") {
    forAll(values, values, Gen.long) { (stay, go, seed) =>
      val random = new scala.util.Random(seed)
      val sum = of(random.shuffle(stay ++ go))
      random.shuffle(go).foreach(sum.subtract)
      check(sum, stay)
    }
  }

  test("replacing one value by another") {
    val similar = Gen.choose(1.0, 4e9).map(x => if (x.toLong % 3 == 0) -x else x)
    forAll(Gen.oneOf(values, Gen.listOf(similar)), values, Gen.choose(1, 50)) {
      (come, stay, more) =>
        val gone = come.reverse
        val sum = of(stay ++ gone, stay.size + gone.size + more)
        gone.zip(come).foreach { case (out, in) => sum.replace(out, in) }
        check(sum, stay ++ come)
        come.foreach(sum.subtract)
        check(sum, stay)
        stay.foreach(sum.subtract)
        sum.normalize()
        assert(sum.highest === -1)
    }
  }

  test("the double that equals the sum exactly, if it exists") {
    def decimal(x: Double) = new java.math.BigDecimal(x)
    def wanted(v: Seq[Double]): Option[Double] = {
      val nearest = exactSum(v)
      if (v.exists(x => x.isNaN || x.isInfinite) || nearest.isInfinite) None
      else {
        val sum = v.foldLeft(java.math.BigDecimal.ZERO)((s, x) => s.add(decimal(x)))
        Some(nearest).filter(decimal(_).compareTo(sum) == 0)
      }
    }
    var found = Set.empty[Boolean]
    forAll(Gen.oneOf(values, values.map(_.take(2)), values.map(_.map(x => Math.rint(x % 1e6))))) {
      v =>
        val exact = of(v).exactDouble
        val expected = wanted(v)
        found += expected.isDefined
        assert(exact.isNaN === expected.isEmpty)
        // The sum of no values is 0.0, not -0.0.
        expected.foreach(x => assert(exact === x))
    }
    assert(found.size === 2)
    Seq(Seq(Double.MinPositiveValue), Seq(-Double.MaxValue), Seq(0.5, 0.25), Nil).foreach { v =>
      assert(of(v).exactDouble === v.sum)
    }
    assert(of(Seq(Double.MaxValue, Double.MaxValue)).exactDouble.isNaN)
    assert(of(Seq(0.1, 0.2)).exactDouble.isNaN)
  }

  test("clear removes all values") {
    forAll(values, values) { (before, after) =>
      val sum = of(before)
      sum.clear()
      check(sum, Nil)
      after.foreach(sum.add(_: Double))
      check(sum, after)
      after.foreach(sum.subtract)
      sum.normalize()
      assert(sum.highest === -1)
    }
  }

  test("parts are merged in any order") {
    forAll(values, values, values) { (a, b, c) =>
      val left = of(a)
      left.merge(of(b).toBytes)
      left.merge(of(c).toBytes)
      val right = of(c)
      val inner = of(b)
      inner.merge(of(a).toBytes)
      right.merge(inner.toBytes)
      check(left, a ++ b ++ c)
      check(right, a ++ b ++ c)
      a.foreach(left.subtract)
      check(left, b ++ c)
    }
  }

  test("if there is no room, the carries are propagated, also from merged parts") {
    forAll(values, values, Gen.choose(1, 50)) { (a, b, room) =>
      val sum = of(a, room)
      check(sum, a)
      sum.merge(of(b, room).toBytes)
      check(sum, a ++ b)
      SumBytes.add(sum, of(b).toBytes, -1L)
      check(sum, a)
      val plain = of(a)
      plain.merge(of(b, room).toBytes)
      check(plain, a ++ b)
    }
  }

  test("a sum that is set to an equal sum continues from it") {
    forAll(values, values, values, Gen.choose(1, 50)) { (a, b, before, room) =>
      val sum = of(before)
      sum.copyFrom(of(a, room))
      check(sum, a)
      b.foreach(sum.add(_: Double))
      a.foreach(sum.subtract)
      check(sum, b)
    }
  }

  test("a window widens with its numbers, and narrows when large numbers leave") {
    val sum = of(Seq(100.0, 115.5))
    assert(sum.isShort)
    val stray = Seq(1e200, -1e-300, 3e-5)
    stray.foreach(sum.add(_: Double))
    assert(!sum.isShort)
    stray.foreach(sum.subtract)
    assert(!sum.isShort)
    assert((1 to 1000).exists(_ => sum.isDue))
    sum.normalize()
    assert(sum.isShort)
    check(sum, Seq(100.0, 115.5))
    assert(!(1 to 1000).exists(_ => sum.isDue))
  }

  test("an intermediate overflow does not matter, a final overflow does") {
    val sum = of(Seq(Double.MaxValue, Double.MaxValue, Double.MinValue))
    assert(sum.sum === Double.MaxValue)
    sum.add(Double.MaxValue)
    assert(sum.sum === Double.PositiveInfinity)
    assert(sum.mean(4L) === Double.MaxValue / 2)
    // Just below the midpoint to the next double, and at the midpoint.
    val half = Math.ulp(Double.MaxValue) / 2
    assert(of(Seq(Double.MaxValue, Math.nextDown(half))).sum === Double.MaxValue)
    assert(of(Seq(Double.MaxValue, half)).sum === Double.PositiveInfinity)
    assert(of(Seq(Double.MinValue, -half)).sum === Double.NegativeInfinity)
  }

  test("halves round to the even double, and a distant last bit decides") {
    assert(of(Seq(9007199254740992.0, 1.0)).sum === 9007199254740992.0)
    assert(of(Seq(9007199254740994.0, 1.0)).sum === 9007199254740996.0)
    assert(of(Seq(9007199254740992.0, 1.0, Double.MinPositiveValue)).sum === 9007199254740994.0)
    assert(of(Seq(9007199254740994.0, 1.0, -Double.MinPositiveValue)).sum === 9007199254740994.0)
  }

  test("zeros of either sign sum to 0.0, as in a sum that starts at 0.0") {
    assert(same(of(Seq(-0.0)).sum, 0.0))
    assert(same(of(Seq(1.5, -1.5)).sum, 0.0))
    assert(same(of(Seq(-0.0)).mean(1L), 0.0))
    assert(same(of(Seq(-Double.MinPositiveValue)).mean(2L), -0.0))
  }

  test("a mean over more than 2^31 values") {
    forAll(values, Gen.choose(1L << 31, 1L << 50)) { (v, n) =>
      val finite = v.filter(x => !x.isNaN && !x.isInfinite)
      val exact = Fraction.sum(finite.map(Fraction.exactly)) / Fraction(n)
      assert(same(of(finite).mean(n), exact.toDouble))
    }
  }

  test("NaN and infinities determine the result while they are present") {
    val sum = of(Seq(1.0, Double.PositiveInfinity))
    assert(sum.sum === Double.PositiveInfinity)
    sum.add(Double.NegativeInfinity)
    assert(sum.sum.isNaN)
    sum.subtract(Double.PositiveInfinity)
    assert(sum.sum === Double.NegativeInfinity)
    sum.add(Double.NaN)
    assert(sum.mean(3L).isNaN)
    assert(sum.nonFinite === 2)
    sum.subtract(Double.NaN)
    sum.subtract(Double.NegativeInfinity)
    check(sum, Seq(1.0))
  }
}
