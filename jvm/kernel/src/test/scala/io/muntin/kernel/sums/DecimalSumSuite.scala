package io.muntin.kernel.sums

import java.math.BigInteger
import io.muntin.kernel.{Series, Sliding}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.Int128Column
import io.muntin.kernel.memory.Memory
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class DecimalSumSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import DecimalSumSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200)

  test("over sliding frames, the sum is exact") {
    forAll(decimals, Series.frame) { (values, frame) =>
      val column = new Int128Column(Memory.Unlimited, true)
      val append = (p: Int) =>
        values(p).fold(column.appendNull()) { x =>
          column.append(x.shiftRight(64).longValue, x.longValue)
        }
      val sum = new DecimalSum(column)
      Sliding.foreach(Seq(column), sum, frame, values.size)(append) { rows =>
        val present = rows.flatMap(values(_))
        assert(sum.count === present.size)
        assert(sum.isEmpty === present.isEmpty)
        assert(sum.bigInteger === present.foldLeft(BigInteger.ZERO)(_ add _))
      }
    }
  }
}

object DecimalSumSuite {
  private val greatest = BigInteger.TEN.pow(38).subtract(BigInteger.ONE)
  private val word = BigInteger.ONE.shiftLeft(64)

  private val digits: Gen[BigInteger] =
    Gen.choose(1, 38).flatMap(n => Gen.listOfN(n, Gen.numChar)).map(s => new BigInteger(s.mkString))

  private val value: Gen[BigInteger] = Gen.frequency(
    4 -> Gen.zip(digits, Gen.oneOf(true, false)).map { case (x, minus) =>
      if (minus) x.negate else x
    },
    2 -> Gen.oneOf(greatest, greatest.negate),
    1 -> Gen.oneOf(word, word.negate, word.subtract(BigInteger.ONE), BigInteger.ZERO)
  )

  val decimals: Gen[Vector[Option[BigInteger]]] = for {
    size <- Gen.choose(0, 220)
    one <- Gen.oneOf(Seq(value, Gen.const(greatest), Gen.const(greatest.negate)))
    values <- Gen.containerOfN[Vector, Option[BigInteger]](
      size,
      Gen.frequency(9 -> one.map(Some(_)), 1 -> Gen.const(None))
    )
  } yield values
}
