package io.muntin.kernel.sums

import io.muntin.kernel.{Fraction, Series, Sliding}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.memory.Memory
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class ExactSumSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ExactSumSuite._

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 200)

  test("over sliding frames, the sum and the mean are the doubles nearest to the exact values") {
    forAll(Series.nullable, Series.frame) { (values, frame) =>
      val (column, append) = Sliding.doubles(values)
      val sum = new ExactSum(column)
      Sliding.foreach(Seq(column), sum, frame, values.size)(append) { rows =>
        val present = rows.flatMap(values(_))
        assert(sum.count === present.size)
        assert(sum.isEmpty === present.isEmpty)
        assert(same(sum.sum, exactSum(present)))
        assert(present.isEmpty || same(sum.mean, exactMean(present)))
      }
    }
  }

  test("rows that left, and earlier partitions, have no effect") {
    val column = new DoubleColumn(Memory.Unlimited, false)
    val sum = new ExactSum(column)
    Seq(1e16, 0.1, Double.NaN, Double.PositiveInfinity, 0.2, 0.3).foreach(column.append)
    sum.enter(0, 6)
    assert(sum.sum.isNaN)
    sum.leave(0, 3)
    assert(sum.sum === Double.PositiveInfinity)
    sum.leave(3, 4)
    assert(sum.sum === 0.5)
    sum.clear()
    assert(sum.isEmpty)
    sum.enter(5, 6)
    assert(sum.sum === 0.3)
    assert(sum.mean === 0.3)
  }
}

object ExactSumSuite {
  def same(a: Double, b: Double): Boolean =
    java.lang.Double.doubleToLongBits(a) == java.lang.Double.doubleToLongBits(b)

  def exactSum(values: Seq[Double]): Double =
    nonFinite(values).getOrElse(Fraction.sum(values.map(Fraction.exactly)).toDouble)

  def exactMean(values: Seq[Double]): Double = nonFinite(values).getOrElse {
    (Fraction.sum(values.map(Fraction.exactly)) / Fraction(values.size.toLong)).toDouble
  }

  private def nonFinite(values: Seq[Double]): Option[Double] = {
    val odd = values.filter(x => x.isNaN || x.isInfinite)
    if (odd.isEmpty) None else Some(odd.sum)
  }
}
