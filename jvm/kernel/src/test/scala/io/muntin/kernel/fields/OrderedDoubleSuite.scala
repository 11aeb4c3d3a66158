package io.muntin.kernel.fields

import scala.util.Random

import io.muntin.kernel.MuntinSuite

class OrderedDoubleSuite extends MuntinSuite {
  import OrderedDouble._

  private val some = Seq(
    0.0,
    Double.MinPositiveValue,
    1e-300,
    0.1,
    0.1 + 0.2,
    0.3,
    1.0,
    9.2,
    1e15,
    Double.MaxValue,
    Double.PositiveInfinity
  )
  private val random = new Random(1L)
  private val values = (some ++ some.map(-_) ++ Seq.fill(500)(random.nextGaussian() * math.exp(
    random.nextInt(200) - 100.0
  ))).sorted

  test("longs have the order of the doubles, and convert back to each double") {
    values.zip(values.tail).foreach { case (a, b) =>
      assert(ordinal(a) <= ordinal(b) && (ordinal(a) == ordinal(b)) === (a == b), (a, b))
    }
    assert(ordinal(0.1 + 0.2) === ordinal(0.3) + 1L)
    assert(ordinal(-0.0) === ordinal(0.0) && ordinal(Double.MinPositiveValue) === 1L)
    values.foreach(v => assert(value(ordinal(v)) === v))
    assert(1.0 / value(ordinal(-0.0)) > 0.0)
    Seq(Long.MaxValue, ordinal(Double.PositiveInfinity) + 1L)
      .foreach(n => assert(value(n) === Double.PositiveInfinity))
    Seq(Long.MinValue, ordinal(Double.NegativeInfinity) - 1L)
      .foreach(n => assert(value(n) === Double.NegativeInfinity))
  }

  test("the next long is the next double") {
    values.filter(v => !v.isInfinite && v != -Double.MinPositiveValue)
      .foreach(v => assert(value(ordinal(v) + 1L) === Math.nextUp(v)))
  }
}
