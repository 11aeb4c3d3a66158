package io.muntin.kernel.sums

import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class PairSumsSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  private val values = ComomentsSuite.pairs.map(_.collect { case (Some(x), Some(y)) => (x, y) })

  private def of(values: Seq[(Double, Double)], room: Int = Chunks.Room): PairSums = {
    val sums = new PairSums(squaresOfX = true, squaresOfY = true, room)
    values.foreach { case (x, y) => sums.add(x, y) }
    sums
  }

  private def check(sums: PairSums, values: Seq[(Double, Double)]) = {
    assert(sums.count === values.size)
    if (values.isEmpty) assert(sums.covariance(0).isNaN) else ComomentsSuite.check(sums, values)
  }

  test("neither the order of entering and leaving rows nor earlier rows matter") {
    forAll(values, values, values, Gen.long) { (a, b, go, seed) =>
      val random = new scala.util.Random(seed)
      val sums = of(random.shuffle(a ++ go ++ b))
      random.shuffle(go).foreach { case (x, y) => sums.subtract(x, y) }
      check(sums, a ++ b)
      sums.clear()
      check(sums, Nil)
      b.foreach { case (x, y) => sums.add(x, y) }
      check(sums, b)
    }
  }

  test("if there is no room, the carries are propagated") {
    forAll(values, values, Gen.choose(1, 40)) { (a, b, room) =>
      val sums = of(a, room)
      check(sums, a)
      b.foreach { case (x, y) => sums.add(x, y) }
      check(sums, a ++ b)
      a.foreach { case (x, y) => sums.subtract(x, y) }
      check(sums, b)
    }
  }

  test("with a NaN in y, x runs out of room before y") {
    val sums = of(Seq((2.0, Double.NaN), (1e-170, -1e-20), (1.0, 1e150), (1.0, 1e150)), room = 4)
    sums.subtract(2.0, Double.NaN)
    sums.subtract(1e-170, -1e-20)
    assert(sums.ck === 0.0)
    assert(sums.isConstantX && sums.isConstantY)
  }

  test("a constant x has no slope, and a constant y has the slope 0") {
    val upright = of(Seq((0.1, 1.0), (0.1, 2.0), (0.1, 4.0)))
    assert(upright.isConstantX && !upright.isConstantY)
    assert(upright.sxx === 0.0 && upright.ck === 0.0)
    assert(upright.slope.isNaN && upright.intercept.isNaN && upright.correlation.isNaN)
    val flat = of(Seq((1.0, 0.1), (2.0, 0.1), (4.0, 0.1)))
    assert(flat.isConstantY && !flat.isConstantX)
    assert(flat.slope === 0.0 && flat.intercept === 0.1)
    assert(flat.correlation.isNaN && flat.r2.isNaN)
  }

  test("an infinite x affects only the results that contain x, until it leaves") {
    val sums = of(Seq((1.0, 1.0), (2.0, 3.0), (Double.PositiveInfinity, 5.0)))
    assert(sums.syy === 8.0)
    assert(sums.yMean === 3.0)
    assert(sums.xMean === Double.PositiveInfinity)
    assert(sums.sxx.isNaN && sums.ck.isNaN && sums.intercept.isNaN)
    sums.subtract(Double.PositiveInfinity, 5.0)
    assert(sums.slope === 2.0)
    assert(sums.intercept === -1.0)
  }
}
