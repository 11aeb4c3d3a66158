package io.muntin.kernel.sums

import io.muntin.kernel.{ExactMoments, Fraction, Series, Sliding}
import io.muntin.kernel.MuntinSuite
import org.scalacheck.Gen
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ComomentsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ComomentsSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  test("over sliding frames, every common moment is within an ulp of its exact value") {
    forAll(pairs, Series.frame) { (values, frame) =>
      val (x, appendX) = Sliding.doubles(values.map(_._1))
      val (y, appendY) = Sliding.doubles(values.map(_._2))
      val comoments = new Comoments(x, y, squaresOfX = true, squaresOfY = true)
      val append = (p: Int) => {
        appendX(p)
        appendY(p)
      }
      Sliding.foreach(Seq(x, y), comoments, frame, values.size)(append) { rows =>
        val present = rows.map(values(_)).collect { case (Some(a), Some(b)) => (a, b) }
        assert(comoments.count === present.size)
        if (present.nonEmpty && rows.end % 5 == 0) check(comoments.sums, present)
      }
    }
  }

  test("a covariance needs no squares") {
    forAll(pairs) { values =>
      val present = values.collect { case (Some(a), Some(b)) => (a, b) }
      val lean = new PairSums(squaresOfX = false, squaresOfY = false)
      val full = new PairSums(squaresOfX = true, squaresOfY = true)
      present.foreach { case (x, y) =>
        lean.add(x, y)
        full.add(x, y)
      }
      assert(ExactSumSuite.same(lean.ck, full.ck))
      assert(ExactSumSuite.same(lean.covariance(0), full.covariance(0)))
    }
  }

  test("points on a line correlate by one and lie on it") {
    val sums = new PairSums(squaresOfX = true, squaresOfY = true)
    (0 until 1000).foreach(i => sums.add(i.toDouble, 3.0 * i - 7.0))
    assert(sums.correlation === 1.0)
    assert(sums.r2 === 1.0)
    assert(sums.slope === 3.0)
    assert(sums.intercept === -7.0)
  }
}

object ComomentsSuite {
  import MomentsSuite.close
  import org.scalatest.Assertions._

  val pairs: Gen[Vector[(Option[Double], Option[Double])]] = for {
    x <- Series.momentous
    y <- Gen.frequency(
      3 -> Series.momentous,
      1 -> Gen.const(x),
      1 -> Gen.const(x.map(_.map(v => -0.3 * v + 1.0).filterNot(_.isInfinite))),
      1 -> Gen.const(x.map(_.map(_ => 4.25)))
    )
  } yield x.zip(y)

  private def odd(x: Double) = x.isNaN || x.isInfinite

  def check(sums: PairSums, values: Seq[(Double, Double)]): Assertion = {
    val (xs, ys) = values.unzip
    val oddX = xs.exists(odd)
    val oddY = ys.exists(odd)
    assert(sums.nonFiniteX === xs.count(odd))
    assert(sums.nonFiniteY === ys.count(odd))
    assert(ExactSumSuite.same(sums.xMean, ExactSumSuite.exactMean(xs)))
    assert(ExactSumSuite.same(sums.yMean, ExactSumSuite.exactMean(ys)))
    if (oddX) assert(sums.sxx.isNaN && !sums.isConstantX)
    else close("sxx", sums.sxx, ExactMoments(xs).m2)
    if (oddY) assert(sums.syy.isNaN && !sums.isConstantY)
    else close("syy", sums.syy, ExactMoments(ys).m2)
    if (oddX || oddY) {
      assert(sums.ck.isNaN && sums.covariance(0).isNaN && sums.covariance(1).isNaN)
      assert(sums.correlation.isNaN && sums.r2.isNaN && sums.slope.isNaN && sums.intercept.isNaN)
    } else checkFinite(sums, ExactMoments(xs), ExactMoments(ys))
  }

  private def checkFinite(sums: PairSums, x: ExactMoments, y: ExactMoments): Assertion = {
    val n = x.n
    val ck = x.ck(y)
    close("ck", sums.ck, ck)
    close("covar_pop", sums.covariance(0), ck / n)
    if (x.values.size > 1) close("covar_samp", sums.covariance(1), ck / (n - Fraction(1)))
    else assert(sums.covariance(1).isNaN)
    assert(sums.isConstantX === x.m2.isZero)
    assert(sums.isConstantY === y.m2.isZero)
    if (x.m2.isZero) assert(sums.slope.isNaN && sums.intercept.isNaN)
    else {
      val slope = ck / x.m2
      close("slope", sums.slope, slope)
      close("intercept", sums.intercept, y.mean - slope * x.mean)
    }
    if (x.m2.isZero || y.m2.isZero) assert(sums.correlation.isNaN && sums.r2.isNaN)
    else {
      val r2 = ck * ck / (x.m2 * y.m2)
      close("r2", sums.r2, r2)
      val root = r2.sqrt(Fraction.Digits)
      close("corr", sums.correlation, if (ck.signum < 0) root.negate else root)
    }
  }
}
