package io.muntin.kernel.sums

import java.math.BigDecimal
import io.muntin.kernel.{Exact, ExactMoments, Fraction, Series, Sliding}
import io.muntin.kernel.MuntinSuite
import org.scalatest.Assertion
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class MomentsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import MomentsSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 100)

  test("over sliding frames, every moment is within an ulp of its exact value") {
    forAll(Series.momentous, Series.frame) { (values, frame) =>
      val (column, append) = Sliding.doubles(values)
      val moments = new Moments(column, 4)
      Sliding.foreach(Seq(column), moments, frame, values.size)(append) { rows =>
        val present = rows.flatMap(values(_))
        assert(moments.count === present.size)
        if (present.nonEmpty && rows.end % 5 == 0) check(moments.sums, present)
      }
    }
  }
}

object MomentsSuite {
  import org.scalatest.Assertions._

  def close(name: String, actual: Double, exact: Fraction): Assertion =
    close(name, actual, Exact.decimal(exact))

  def close(name: String, actual: Double, exact: BigDecimal): Assertion = {
    val off = Exact.ulps(actual, exact)
    assert(off <= 1.0, s"$name is $actual, $off ulps from $exact")
    assert(exact.signum != 0 || actual == 0.0)
  }

  def check(moments: PowerSums, values: Seq[Double]): Assertion =
    if (values.exists(x => x.isNaN || x.isInfinite)) {
      assert(moments.nonFinite === values.count(x => x.isNaN || x.isInfinite))
      assert(!moments.isConstant)
      assert(moments.m2.isNaN && moments.variance(0).isNaN && moments.standardDeviation(0).isNaN)
      assert(moments.skewness.isNaN && moments.excessKurtosis.isNaN)
    } else {
      val exact = ExactMoments(values)
      val n = exact.n
      assert(ExactSumSuite.same(moments.mean, exact.mean.toDouble))
      close("m2", moments.m2, exact.m2)
      for (ddof <- 0 to 1)
        if (values.size == ddof) {
          assert(moments.variance(ddof).isNaN)
          assert(moments.standardDeviation(ddof).isNaN)
        } else {
          val variance = exact.m2 / (n - Fraction(ddof.toLong))
          close("variance", moments.variance(ddof), variance)
          close("deviation", moments.standardDeviation(ddof), variance.sqrt(Fraction.Digits))
        }
      assert(moments.isConstant === exact.m2.isZero)
      if (exact.m2.isZero) {
        assert(moments.skewness.isNaN && moments.excessKurtosis.isNaN)
      } else {
        val m3 = exact.central(3)
        val skewness2 = n * m3 * m3 / (exact.m2 * exact.m2 * exact.m2)
        val root = skewness2.sqrt(Fraction.Digits)
        close("skewness", moments.skewness, if (m3.signum < 0) root.negate else root)
        val kurtosis = n * exact.central(4) / (exact.m2 * exact.m2) - Fraction(3)
        close("kurtosis", moments.excessKurtosis, kurtosis)
      }
    }
}
