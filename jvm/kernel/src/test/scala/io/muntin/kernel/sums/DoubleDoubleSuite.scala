package io.muntin.kernel.sums

import java.math.{BigDecimal, BigInteger}
import io.muntin.kernel.{Exact, Fraction}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.Int128Column
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class DoubleDoubleSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 1000)

  // The effect of 2^-90 on the result, as a part of an ulp.
  private val slack = 1.0 / (1L << 37)

  private val positive: Gen[BigInteger] = for {
    words <- Gen.choose(1, 30)
    parts <- Gen.listOfN(words, Gen.frequency(2 -> Gen.long, 1 -> Gen.oneOf(0L, -1L, 1L)))
  } yield parts
    .foldLeft(BigInteger.ZERO)((x, w) => x.shiftLeft(64).or(Int128Column.unsigned(w)))
    .max(BigInteger.ONE)

  private val integer = Gen.zip(positive, Gen.oneOf(true, false)).map { case (x, minus) =>
    if (minus) x.negate else x
  }

  private def of(value: BigInteger): DoubleDouble = {
    val limbs = LimbsSuite.limbs(value)
    val result = new DoubleDouble
    result.set(limbs)
    result
  }

  /** Scaled to the range of doubles: near one. */
  private def check(actual: DoubleDouble, exact: BigDecimal) = {
    val power = exact.precision - exact.scale
    val bits = (power * 3.3219).toInt
    val two = BigDecimal.valueOf(2).pow(math.abs(bits), Fraction.Digits)
    val near =
      if (bits > 0) exact.divide(two, Fraction.Digits) else exact.multiply(two, Fraction.Digits)
    assert(Exact.ulps(actual.toDouble(-bits), near) <= 0.5 + slack)
  }

  test("integers, products, quotients and roots are close enough to round") {
    forAll(integer, positive) { (a, b) =>
      check(of(a), new BigDecimal(a))
      val product = of(a)
      product.multiply(of(b))
      check(product, new BigDecimal(a.multiply(b)))
      val quotient = of(a)
      quotient.divide(of(b))
      check(quotient, new BigDecimal(a).divide(new BigDecimal(b), Fraction.Digits))
      val root = of(b)
      root.squareRoot()
      check(root, new BigDecimal(b).sqrt(Fraction.Digits))
    }
  }

  test("counts") {
    forAll(integer, Gen.choose(1L, 1L << 53), Gen.choose(1L, 1L << 53)) { (a, m, n) =>
      val count = new DoubleDouble
      count.set(m)
      count.multiply(n)
      check(count, BigDecimal.valueOf(m).multiply(BigDecimal.valueOf(n)))
      count.multiply(of(a))
      check(
        count,
        BigDecimal.valueOf(m).multiply(BigDecimal.valueOf(n)).multiply(new BigDecimal(a))
      )
    }
  }

  test("zero, and the limits of the doubles") {
    val zero = of(BigInteger.ZERO)
    assert(zero.toDouble(0) === 0.0)
    zero.squareRoot()
    assert(zero.toDouble(0) === 0.0)
    zero.divide(of(BigInteger.TEN))
    assert(zero.toDouble(2000) === 0.0)
    val three = of(BigInteger.valueOf(3L))
    assert(three.toDouble(-1074) === 3 * Double.MinPositiveValue)
    assert(three.toDouble(1022) === 3 * Math.scalb(1.0, 1022))
    assert(three.toDouble(1023) === Double.PositiveInfinity)
    assert(three.toDouble(-5000) === 0.0)
    three.divide(of(BigInteger.ZERO))
    assert(three.toDouble(0).isNaN || three.toDouble(0).isInfinite)
  }
}
