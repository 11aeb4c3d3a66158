package io.muntin.kernel.sums

import java.math.BigInteger
import io.muntin.kernel.Fraction
import io.muntin.kernel.MuntinSuite
import io.muntin.kernel.columns.Int128Column
import org.scalacheck.Gen
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

class LimbsSuite extends MuntinSuite with ScalaCheckPropertyChecks {
  import LimbsSuite.limbs

  implicit override val generatorDrivenConfig: PropertyCheckConfiguration =
    PropertyCheckConfiguration(minSuccessful = 1000)

  // Words at whose ends carries propagate, as often as any others.
  private val word: Gen[Long] = Gen.frequency(3 -> Gen.long, 2 -> Gen.oneOf(0L, -1L, 1L, 1L << 63))

  private def integer(words: Int): Gen[BigInteger] = for {
    length <- Gen.choose(0, words)
    parts <- Gen.listOfN(length, word)
    minus <- Gen.oneOf(true, false)
  } yield {
    val magnitude =
      parts.foldLeft(BigInteger.ZERO)((x, w) => x.shiftLeft(64).or(Int128Column.unsigned(w)))
    if (minus) magnitude.negate else magnitude
  }

  private val chunk: Gen[Long] =
    Gen.frequency(
      2 -> Gen.choose(-(1L << 62), 1L << 62),
      1 -> Gen.oneOf(0L, -1L, 0xffffffffL, -0xffffffffL)
    )

  private def total(chunks: Seq[Long]): BigInteger =
    chunks.foldRight(BigInteger.ZERO)((c, x) => x.shiftLeft(32).add(BigInteger.valueOf(c)))

  test("chunks are summed") {
    forAll(Gen.choose(1, 40).flatMap(n => Gen.listOfN(2 * n, chunk))) { chunks =>
      val limbs = new Limbs
      limbs.load(chunks.toArray, 0, chunks.size)
      assert(limbs.toBigInteger === total(chunks))
      assert(limbs.isNegative === (total(chunks).signum < 0))
      assert(limbs.isZero === (total(chunks).signum == 0))
      if (!limbs.isZero) assert(limbs.bitLength === total(chunks).abs.bitLength) else succeed
    }
  }

  test("adds, subtracts, multiplies and scales like BigInteger") {
    forAll(integer(30), integer(30), Gen.oneOf(Gen.choose(0L, Long.MaxValue), Gen.choose(0L, 9L))) {
      (a, b, n) =>
        val x = limbs(a)
        val y = limbs(b)
        assert(x.toBigInteger === a)
        val z = limbs(b)
        z.setProduct(x, y)
        assert(z.toBigInteger === a.multiply(b))
        z.set(x)
        z.add(y)
        assert(z.toBigInteger === a.add(b))
        z.set(x)
        z.subtract(y)
        assert(z.toBigInteger === a.subtract(b))
        z.subtract(x)
        z.add(y)
        assert(z.isZero && !z.isNegative)
        x.scale(n)
        assert(x.toBigInteger === a.multiply(BigInteger.valueOf(n)))
    }
  }

  test("the determinant of short sums") {
    val short = Gen.listOfN(6, chunk).suchThat(c => total(c).bitLength < 179)
    val shorter = Gen.listOfN(5, Gen.choose(-(1L << 40), 1L << 40)).map(_ :+ 0L)
    val tiny = Gen.listOfN(3, chunk).map(_ ++ Seq(0L, 0L, 0L))
    val sum = Gen.frequency(1 -> short, 3 -> shorter, 3 -> tiny)
    val products = Gen
      .listOfN(10, chunk)
      .map(_ ++ Seq(0L, 0L))
      .suchThat(c => total(c).bitLength < 350)
    forAll(sum, sum, products, Gen.choose(0L, Int.MaxValue.toLong)) { (a, b, p, n) =>
      val x = new Limbs
      val y = new Limbs
      x.loadShort(a.toArray, 0)
      y.loadShort(b.toArray, 0)
      assert(x.toBigInteger === total(a))
      val d = new Limbs
      d.setDeterminant(n, p.toArray, 0, x, y)
      val exact = total(p).multiply(BigInteger.valueOf(n)).subtract(total(a).multiply(total(b)))
      assert(d.toBigInteger === exact)
      d.setDeterminant(n, p.toArray, 0, x, x)
      val square = total(p).multiply(BigInteger.valueOf(n)).subtract(total(a).pow(2))
      assert(d.toBigInteger === square)
    }
  }

  test("the determinant of narrow sums") {
    val chunks = Gen.frequency(
      2 -> Gen.listOfN(3, Gen.choose(-(1L << 30), 1L << 30)),
      1 -> Gen.listOfN(2, chunk),
      1 -> Gen.oneOf(Seq(-1L, -1L, Int.MaxValue.toLong), Seq(0L, 0L, -Int.MaxValue.toLong))
    )
    val sum = chunks.map(_.padTo(6, 0L).toList)
    val products = Gen.listOfN(6, chunk).map(_ ++ Seq.fill(6)(0L))
    forAll(sum, sum, products, Gen.choose(0L, Int.MaxValue.toLong)) { (a, b, p, n) =>
      val x = new Limbs
      val y = new Limbs
      x.loadShort(a.toArray, 0)
      y.loadShort(b.toArray, 0)
      assert(x.isNarrow && y.isNarrow)
      val d = new Limbs
      d.setNarrowDeterminant(n, p.toArray, x, y)
      val exact = total(p).multiply(BigInteger.valueOf(n)).subtract(total(a).multiply(total(b)))
      assert(d.toBigInteger === exact)
    }
    forAll(integer(3))(a => assert(limbs(a).isNarrow === (a.abs.bitLength <= 95)))
  }

  test("rounds, and divides and rounds") {
    forAll(
      integer(20),
      Gen.choose(-2600, 900),
      Gen.oneOf(Gen.choose(1L, 9L), Gen.choose(1L, 1L << 50))
    ) {
      (a, exponent, n) =>
        val power =
          if (exponent < 0) Fraction(BigInteger.ONE, BigInteger.ONE.shiftLeft(-exponent))
          else Fraction(BigInteger.ONE.shiftLeft(exponent))
        val x = limbs(a)
        val exact = Fraction(a) * power
        assert(x.round(exponent) === exact.toDouble)
        assert(x.quotient(n, exponent) === (exact / Fraction(n)).toDouble)
    }
  }
}

object LimbsSuite {

  /** Small chunks that sum to `value`. */
  def limbs(value: BigInteger): Limbs = {
    val size = (value.bitLength + 64) / 64 * 2
    val chunks = Array.tabulate(size) { i =>
      val part = value.shiftRight(32 * i)
      if (i == size - 1) part.longValue else part.longValue & 0xffffffffL
    }
    val result = new Limbs
    result.load(chunks, 0, size)
    result
  }
}
