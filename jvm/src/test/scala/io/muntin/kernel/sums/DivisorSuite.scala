package io.muntin.kernel.sums

import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class DivisorSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 500)

  private val edges = Gen.oneOf(0L, 1L, -1L, Long.MaxValue, Long.MinValue, 1L << 32)
  private val word = Gen.oneOf(Gen.long, edges)
  private val top = word.map(_ | Long.MinValue)

  private val divisors: Gen[Long] = Gen.oneOf(
    Gen.choose(2L, 100L),
    Gen.choose(1, 31).flatMap(b => Gen.oneOf((1L << b) - 1L, 1L << b, (1L << b) + 1L)),
    Gen.choose(2L, Int.MaxValue.toLong),
    Gen.choose(2L, Long.MaxValue)
  ).map(math.max(_, 2L))

  private val dividends: Gen[(Long, Long, Boolean)] = for {
    t <- top
    n <- word
    s <- Gen.oneOf(true, false)
  } yield (t, n, s)

  test("it divides as Rounding does, whether it knows the divisor or not") {
    forAll(
      divisors,
      Gen.listOfN(40, dividends),
      Gen.oneOf(Gen.choose(-1200, 1000), Gen.choose(-20, 20)),
      Gen.oneOf(true, false)
    ) { (divisor, dividends, exponent, negative) =>
      val division = new Divisor
      dividends.foreach { case (top, next, sticky) =>
        val expected = Rounding.quotient(negative, top, next, sticky, divisor, exponent)
        val found = division.quotient(negative, top, next, sticky, divisor, exponent)
        assert(found.equals(expected), s"($top, $next, $sticky) / $divisor")
      }
    }
  }

  test("of exact multiples and what is next to them") {
    forAll(divisors, Gen.choose(1L << 53, (1L << 54) - 1L)) { (divisor, quotient) =>
      val division = new Divisor
      val exact =
        java.math.BigInteger.valueOf(quotient).multiply(java.math.BigInteger.valueOf(divisor))
      (0 to 15).foreach { i =>
        val dividend = exact.add(java.math.BigInteger.valueOf(i % 3L - 1L))
        val shifted = dividend.shiftLeft(128 - dividend.bitLength)
        val (top, next) = (shifted.shiftRight(64).longValue, shifted.longValue)
        val expected = Rounding.quotient(negative = false, top, next, sticky = false, divisor, 0)
        assert(division.quotient(
          negative = false,
          top,
          next,
          sticky = false,
          divisor,
          0
        ) === expected)
      }
    }
  }

  test("of divisors that change now and then") {
    forAll(Gen.listOfN(5, divisors), Gen.listOfN(100, Gen.zip(Gen.choose(0, 40), dividends))) {
      (some, all) =>
        val division = new Divisor
        var current = 0
        all.foreach { case (turn, (top, next, sticky)) =>
          if (turn == 0) current += 1
          val divisor = some(if (turn == 1) 0 else current % some.size)
          val expected = Rounding.quotient(negative = false, top, next, sticky, divisor, 7)
          assert(division.quotient(negative = false, top, next, sticky, divisor, 7) === expected)
        }
    }
  }
}
