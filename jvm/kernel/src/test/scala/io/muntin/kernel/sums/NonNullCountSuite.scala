package io.muntin.kernel.sums

import io.muntin.kernel.{Series, Sliding}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class NonNullCountSuite extends MuntinSuite with ScalaCheckPropertyChecks {

  test("over sliding frames, counts the non-null values") {
    forAll(IntegerSumSuite.longs, Series.frame) { (values, frame) =>
      val (column, append) = Sliding.longs(values)
      val count = new NonNullCount(column)
      Sliding.foreach(Seq(column), count, frame, values.size)(append) { rows =>
        assert(count.count === rows.count(values(_).isDefined))
      }
    }
  }

  test("a column without nulls is not read") {
    val column = new LongColumn(Memory.Unlimited, false)
    val count = new NonNullCount(column)
    count.enter(0, 1000)
    count.leave(0, 10)
    assert(count.count === 990)
    count.clear()
    assert(count.count === 0)
  }
}
