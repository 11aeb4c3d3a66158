package io.muntin.kernel.sums

import java.math.{BigDecimal, BigInteger, RoundingMode}
import io.muntin.kernel.{Fraction, Series, Sliding}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalacheck.{Arbitrary, Gen}
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class IntegerSumSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import IntegerSumSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200)

  test("over sliding frames, the sum is exact and the mean the nearest double") {
    forAll(longs, Series.frame) { (values, frame) =>
      val (column, append) = Sliding.longs(values)
      val sum = new IntegerSum(column)
      Sliding.foreach(Seq(column), sum, frame, values.size)(append) { rows =>
        val present = rows.flatMap(values(_))
        val exact = present.map(BigInteger.valueOf).foldLeft(BigInteger.ZERO)(_ add _)
        assert(sum.count === present.size)
        assert(sum.isEmpty === present.isEmpty)
        assert(sum.bigInteger === exact)
        assert(sum.fitsLong === (exact.bitLength < 64))
        assert(sum.long === exact.longValue)
        if (present.nonEmpty) {
          val n = present.size.toLong
          val mean = Fraction(exact) / Fraction(n)
          assert(ExactSumSuite.same(sum.mean, mean.toDouble))
          val halfUp = new BigDecimal(exact).divide(BigDecimal.valueOf(n), 0, RoundingMode.HALF_UP)
          assert(sum.divideHalfUp(n) === halfUp.longValueExact)
        }
      }
    }
  }

  test("halves round away from zero") {
    val column = new LongColumn(Memory.Unlimited, false)
    Seq(3L, -6L, 1L, 8L, Long.MinValue, Long.MinValue).foreach(column.append)
    val sum = new IntegerSum(column)
    sum.enter(0, 1)
    assert(sum.divideHalfUp(2) === 2L)
    sum.enter(1, 2)
    assert(sum.divideHalfUp(2) === -2L)
    sum.clear()
    sum.enter(4, 6)
    assert(!sum.fitsLong)
    assert(sum.divideHalfUp(2) === Long.MinValue)
    assert(sum.mean === Long.MinValue.toDouble)
  }
}

object IntegerSumSuite {

  val extreme: Gen[Long] =
    Gen.oneOf(Long.MaxValue, Long.MinValue, Long.MaxValue - 1, Long.MinValue + 1, 0L, 1L, -1L)

  private val kinds: Seq[Gen[Long]] = Seq(
    Gen.choose(-100L, 100L),
    Arbitrary.arbitrary[Long],
    extreme,
    Gen.const(Long.MaxValue),
    Gen.const(Long.MinValue)
  )

  val longs: Gen[Vector[Option[Long]]] = for {
    value <- Gen.oneOf(kinds)
    size <- Gen.choose(0, 220)
    values <- Gen.containerOfN[Vector, Option[Long]](
      size,
      Gen.frequency(9 -> value.map(Some(_)), 1 -> Gen.const(None))
    )
  } yield values
}
