package io.muntin.kernel.sums

import io.muntin.kernel.{Series, Sliding}
import io.muntin.kernel.MuntinSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class BitXorSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  test("over sliding frames, the exclusive or of the non-null values") {
    forAll(IntegerSumSuite.longs, Series.frame) { (values, frame) =>
      val (column, append) = Sliding.longs(values)
      val xor = new BitXor(column)
      Sliding.foreach(Seq(column), xor, frame, values.size)(append) { rows =>
        val present = rows.flatMap(values(_))
        assert(xor.xor === present.fold(0L)(_ ^ _))
        assert(xor.count === present.size)
        assert(xor.isEmpty === present.isEmpty)
      }
    }
  }
}
