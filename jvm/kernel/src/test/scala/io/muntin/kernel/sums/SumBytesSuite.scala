package io.muntin.kernel.sums

import java.math.{BigDecimal, BigInteger}

import io.muntin.kernel.{Fraction, Series}
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.DoubleColumn
import io.muntin.kernel.memory.Memory
import io.muntin.kernel.sums.ChunkSum.{FixedPoint, FloatingPoint}
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class SumBytesSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import ExactSumSuite.same

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 300)

  private val values = Series.nullable.map(_.flatten)
  private val rooms = Gen.choose(1, 40)

  private val integers: Gen[Seq[BigInteger]] = Gen.listOf(Gen.oneOf(
    Gen.choose(-9L, 9L).map(BigInteger.valueOf),
    Gen.oneOf(Long.MinValue, Long.MaxValue, 0L, -1L).map(BigInteger.valueOf),
    Gen.choose(-(10L * 1000L), 10000L).map(n =>
      BigInteger.TEN.pow(34).multiply(BigInteger.valueOf(n))
    )
  ))

  private def doubles(values: Iterable[Double], room: Int = Chunks.Room): ChunkSum = {
    val sum = ChunkSum(FloatingPoint(1), room)
    values.foreach(sum.add)
    sum
  }

  private def powers(values: Iterable[Double], power: Int, room: Int = Chunks.Room): ChunkSum = {
    val sum = ChunkSum(FloatingPoint(power), room)
    values.foreach(sum.addPower(_, power))
    sum
  }

  private def fixed(values: Iterable[BigInteger], scale: Int, room: Int = Chunks.Room): ChunkSum = {
    val sum = ChunkSum(FixedPoint(scale), room)
    values.foreach(sum.add)
    sum
  }

  private def merged(kind: ChunkSum.Kind, parts: Iterable[ChunkSum], room: Int): ChunkSum = {
    val whole = ChunkSum(kind, room)
    parts.foreach(part => whole.merge(part.toBytes))
    whole
  }

  private def bytes(sum: ChunkSum): Seq[Byte] = sum.toBytes.toSeq

  private def exactSum(sum: ChunkSum, count: Int): Double = {
    val exact = new ExactSum(new DoubleColumn(Memory.Unlimited, nullable = true))
    exact.restore(count.toLong, Array(sum))
    exact.sum
  }

  /** Decodes the bytes of finite doubles by their specification. */
  private def said(bytes: Array[Byte]): Fraction =
    if (bytes.length == 1) Fraction(0L)
    else {
      val exponent = new BigInteger(bytes.slice(1, 3)).intValue
      val significand = new BigInteger(bytes.drop(3))
      assert(significand.testBit(0), "the significand is odd")
      assert(significand.bitLength / 8 + 1 === bytes.length - 3, "and has no byte too many")
      if (exponent >= 0) Fraction(significand.shiftLeft(exponent))
      else Fraction(significand, BigInteger.ONE.shiftLeft(-exponent))
    }

  private def isFinite(x: Double) = !x.isNaN && !x.isInfinite

  test("the bytes contain the exact sum of doubles and of their powers") {
    forAll(values, rooms) { (v, room) =>
      val finite = v.filter(isFinite)
      val exact = finite.map(Fraction.exactly)
      assert((said(doubles(finite, room).toBytes) - Fraction.sum(exact)).isZero)
      (2 to 4).foreach { power =>
        val sum = Fraction.sum(exact.map(x => Seq.fill(power)(x).reduce(_ * _)))
        assert((said(powers(finite, power, room).toBytes) - sum).isZero)
      }
    }
  }

  test("integers and decimals: the bytes contain the sum") {
    forAll(integers, Gen.choose(0, 38), rooms) { (v, scale, room) =>
      val sum = v.foldLeft(BigInteger.ZERO)(_ add _)
      val made = fixed(v, scale, room)
      assert(made.toBigInteger === sum)
      val expected =
        if (sum.signum == 0) Seq(0.toByte, scale.toByte)
        else Seq(0.toByte, scale.toByte) ++ sum.toByteArray
      assert(bytes(made) === expected)
    }
  }

  test("longs, including the least long") {
    val sum = ChunkSum(FixedPoint(0))
    Seq(Long.MinValue, Long.MinValue, 3L).foreach(sum.add)
    assert(sum.toBigInteger === new BigInteger("-18446744073709551613"))
  }

  test("equal sums have equal bytes: in any order, from any parts, merged in any order") {
    forAll(values, values, values, Gen.long, rooms) { (a, b, c, seed, room) =>
      val random = new scala.util.Random(seed)
      val whole = random.shuffle(a ++ b ++ c)
      Seq(1, 2, 3, 4).foreach { power =>
        def sum(v: Seq[Double]) = if (power == 1) doubles(v, room) else powers(v, power, room)
        val kind = FloatingPoint(power)
        val expected = bytes(sum(whole))
        val parts = Seq(a, b, c).map(sum)
        parts.permutations.foreach(p => assert(bytes(merged(kind, p, room)) === expected))
        val grouped = Seq(parts(0), merged(kind, parts.drop(1), room))
        assert(bytes(merged(kind, grouped, room)) === expected)
        assert(bytes(merged(kind, Seq(sum(Nil), sum(whole), sum(Nil)), room)) === expected)
      }
    }
  }

  test("a partial can be added to after it was written") {
    forAll(values, values, rooms) { (a, b, room) =>
      val sum = doubles(a, room)
      sum.toBytes: Unit
      b.foreach(sum.add)
      assert(bytes(sum) === bytes(doubles(a ++ b)))
    }
  }

  test("restored sums have the results of the rows") {
    forAll(values, rooms) { (v, room) =>
      assert(same(exactSum(doubles(v, room), v.size), ExactSumSuite.exactSum(v)))
    }
  }

  test("restored moments have the results of the rows, bit for bit") {
    forAll(values, rooms) { (v, room) =>
      whenever(v.nonEmpty) {
        (2 to 4).foreach { order =>
          val whole = new PowerSums(order)
          v.foreach(whole.add)
          val restored = new PowerSums(order)
          restored.add(1e300)
          val sums = doubles(v, room) +: (2 to order).map(powers(v, _, room))
          restored.restore(v.size.toLong, sums.toArray)
          def check(read: PowerSums => Double) = assert(same(read(restored), read(whole)))
          check(_.mean)
          check(_.m2)
          check(_.variance(0))
          check(_.standardDeviation(1))
          if (order >= 3) check(_.skewness)
          if (order >= 4) check(_.excessKurtosis)
          assert(restored.isConstant === whole.isConstant)
        }
      }
    }
  }

  test("restored pairs have the results of the rows, bit for bit") {
    forAll(values, values, rooms) { (x, y, room) =>
      val pairs = x.zip(y)
      whenever(pairs.nonEmpty) {
        val whole = new PairSums(squaresOfX = true, squaresOfY = true)
        pairs.foreach { case (a, b) => whole.add(a, b) }
        val restored = new PairSums(squaresOfX = true, squaresOfY = true)
        restored.add(3.0, 1e300)
        def products(of: ((Double, Double)) => (Double, Double)): ChunkSum = {
          val sum = ChunkSum(FloatingPoint(2), room)
          pairs.map(of).foreach { case (a, b) => sum.addProduct(a, b) }
          sum
        }
        restored.restore(
          pairs.size.toLong,
          Array(
            doubles(pairs.map(_._1), room),
            doubles(pairs.map(_._2), room),
            products(identity),
            products { case (a, _) => (a, a) },
            products { case (_, b) => (b, b) }
          )
        )
        def check(read: PairSums => Double) = assert(same(read(restored), read(whole)))
        check(_.xMean)
        check(_.yMean)
        check(_.ck)
        check(_.covariance(1))
        check(_.sxx)
        check(_.syy)
        if (!whole.isConstantX) {
          check(_.slope)
          check(_.intercept)
          if (!whole.isConstantY) {
            check(_.correlation)
            check(_.r2)
          }
        }
        assert(restored.isConstantX === whole.isConstantX)
        assert(restored.isConstantY === whole.isConstantY)
      }
    }
  }

  test("only the products determine the result: sums that cancel") {
    val x = Seq(1e200, -1e200, 1e-200)
    val y = Seq(1e-100, 1e-100, 5.0)
    val whole = new PairSums(squaresOfX = true, squaresOfY = true)
    val restored = new PairSums(squaresOfX = true, squaresOfY = true)
    val products = ChunkSum(FloatingPoint(2))
    x.zip(y).foreach { case (a, b) =>
      whole.add(a, b)
      products.addProduct(a, b)
    }
    restored.restore(3L, Array(doubles(x), doubles(y), products, powers(x, 2), powers(y, 2)))
    assert(same(restored.correlation, whole.correlation))
    assert(same(restored.slope, whole.slope))
    assert(same(restored.intercept, whole.intercept))
  }

  test("integers and scales are merged only into sums that can represent them") {
    val tens = fixed(Seq(BigInteger.valueOf(12345)), 2)
    val finer = ChunkSum(FixedPoint(4))
    finer.merge(tens.toBytes)
    assert(new BigDecimal(finer.toBigInteger, 4) === new BigDecimal("123.4500"))
    forAll(integers) { v =>
      val sum = doubles(Seq(0.5))
      sum.merge(fixed(v, 0).toBytes)
      val exact = Fraction(v.foldLeft(BigInteger.ZERO)(_ add _)) + Fraction.exactly(0.5)
      assert((said(sum.toBytes) - exact).isZero)
    }
    def refused(kind: ChunkSum.Kind, part: ChunkSum) =
      intercept[IllegalArgumentException](ChunkSum(kind).merge(part.toBytes)).getMessage
    assert(refused(FixedPoint(2), finer) ===
      "a sum of decimals of scale 4 cannot be added to one of decimals of scale 2")
    assert(refused(FloatingPoint(1), tens) ===
      "a sum of decimals of scale 2 cannot be added to one of doubles")
    assert(refused(FixedPoint(0), doubles(Seq(0.5))) ===
      "a sum of doubles cannot be added to one of integers")
    intercept[IllegalArgumentException](ChunkSum(FixedPoint(0)).merge(Array[Byte](9, 9)))
    intercept[IllegalArgumentException](ChunkSum(FixedPoint(0)).merge(Array.empty[Byte]))
  }

  test("the bytes contain NaN and infinities") {
    val sum = doubles(Seq(1.5, Double.NaN, Double.PositiveInfinity))
    assert(bytes(sum) === Seq[Byte](1 + 2 + 4, -1, -1, 3))
    assert(exactSum(sum, 3).isNaN)
    assert(exactSum(merged(FloatingPoint(1), Seq(doubles(Seq(Double.NegativeInfinity))), 9), 1) ===
      Double.NegativeInfinity)
  }

  test("a sum of ordinary values is small") {
    val sum = doubles(Seq.tabulate(10000)(i => 20.0 + (i % 150) / 10.0))
    assert(sum.toBytes.length <= 12)
    assert(doubles(Nil).toBytes.length === 1)
  }
}
