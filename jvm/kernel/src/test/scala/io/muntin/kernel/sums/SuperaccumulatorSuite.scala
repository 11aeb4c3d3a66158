package io.muntin.kernel.sums

import io.muntin.kernel.{Fraction, Series}
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SuperaccumulatorSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  import ExactSumSuite.{exactMean, exactSum, same}

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val values = Series.nullable.map(_.flatten)

  private def of(values: Seq[Double], room: Long = Chunks.Room): Superaccumulator = {
    val sum = new Superaccumulator(room)
    values.foreach(sum.add)
    sum
  }

  private def check(sum: Superaccumulator, values: Seq[Double]) = {
    assert(sum.count === values.size)
    assert(same(sum.sum, exactSum(values)))
    if (values.isEmpty) assert(same(sum.sum, 0.0))
    else assert(same(sum.mean(values.size.toLong), exactMean(values)))
  }

  test("the sum and the mean are the nearest doubles to the exact ones") {
    forAll(values)(v => check(of(v), v))
  }

  test("it does not matter in which order values come, nor which go") {
    forAll(values, values, Gen.long) { (stay, go, seed) =>
      val random = new scala.util.Random(seed)
      val sum = of(random.shuffle(stay ++ go))
      random.shuffle(go).foreach(sum.subtract)
      check(sum, stay)
    }
  }

  test("one value in the place of another") {
    val similar = Gen.choose(1.0, 4e9).map(x => if (x.toLong % 3 == 0) -x else x)
    forAll(Gen.oneOf(values, Gen.listOf(similar)), values, Gen.choose(1L, 50L)) {
      (come, stay, more) =>
        val gone = come.reverse
        val sum = of(stay ++ gone, stay.size + gone.size + more)
        gone.zip(come).foreach { case (out, in) => sum.replace(out, in) }
        check(sum, stay ++ come)
        come.foreach(sum.subtract)
        check(sum, stay)
        stay.foreach(sum.subtract)
        assert(sum.highest === -1)
    }
  }

  test("clear leaves nothing") {
    forAll(values, values) { (before, after) =>
      val sum = of(before)
      sum.clear()
      check(sum, Nil)
      after.foreach(sum.add)
      check(sum, after)
      after.foreach(sum.subtract)
      // No chunk is in use any more: what is left over would make every read long.
      assert(sum.highest === -1)
    }
  }

  test("parts merge in any order") {
    forAll(values, values, values) { (a, b, c) =>
      val left = of(a)
      left.merge(of(b))
      left.merge(of(c))
      val right = of(c)
      val inner = of(b)
      inner.merge(of(a))
      right.merge(inner)
      check(left, a ++ b ++ c)
      check(right, a ++ b ++ c)
      a.foreach(left.subtract)
      check(left, b ++ c)
    }
  }

  test("when there is no more room, the carries are taken out, also from parts that merge") {
    forAll(values, values, Gen.choose(1L, 50L)) { (a, b, room) =>
      val sum = of(a, room)
      check(sum, a)
      sum.merge(of(b, room))
      check(sum, a ++ b)
      b.foreach(sum.subtract)
      check(sum, a)
      val plain = of(a)
      plain.merge(of(b, room))
      check(plain, a ++ b)
    }
  }

  test("what overflows in between is no matter, what overflows in the end is") {
    val sum = of(Seq(Double.MaxValue, Double.MaxValue, Double.MinValue))
    assert(sum.sum === Double.MaxValue)
    sum.add(Double.MaxValue)
    assert(sum.sum === Double.PositiveInfinity)
    assert(sum.mean(4L) === Double.MaxValue / 2)
    // Just below and at the half of the way to the double that would come next.
    val half = Math.ulp(Double.MaxValue) / 2
    assert(of(Seq(Double.MaxValue, Math.nextDown(half))).sum === Double.MaxValue)
    assert(of(Seq(Double.MaxValue, half)).sum === Double.PositiveInfinity)
    assert(of(Seq(Double.MinValue, -half)).sum === Double.NegativeInfinity)
  }

  test("halves go to the even double, and a last bit far away decides") {
    assert(of(Seq(9007199254740992.0, 1.0)).sum === 9007199254740992.0)
    assert(of(Seq(9007199254740994.0, 1.0)).sum === 9007199254740996.0)
    assert(of(Seq(9007199254740992.0, 1.0, Double.MinPositiveValue)).sum === 9007199254740994.0)
    assert(of(Seq(9007199254740994.0, 1.0, -Double.MinPositiveValue)).sum === 9007199254740994.0)
  }

  test("zeros of either sign sum up to 0.0, as from 0.0 on") {
    assert(same(of(Seq(-0.0)).sum, 0.0))
    assert(same(of(Seq(1.5, -1.5)).sum, 0.0))
    assert(same(of(Seq(-0.0)).mean(1L), 0.0))
    assert(same(of(Seq(-Double.MinPositiveValue)).mean(2L), -0.0))
  }

  test("a mean over more than 2^31") {
    forAll(values, Gen.choose(1L << 31, 1L << 50)) { (v, n) =>
      val finite = v.filter(x => !x.isNaN && !x.isInfinite)
      val exact = Fraction.sum(finite.map(Fraction.exactly)) / Fraction(n)
      assert(same(of(finite).mean(n), exact.toDouble))
    }
  }

  test("NaN and infinities decide while they are there") {
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
