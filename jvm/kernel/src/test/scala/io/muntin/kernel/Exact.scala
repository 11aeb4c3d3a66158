package io.muntin.kernel

import java.math.{BigDecimal, BigInteger, MathContext, RoundingMode}

/** Exact results for comparison: fractions of big integers, and their nearest doubles. */
final case class Fraction(numerator: BigInteger, denominator: BigInteger) {

  def +(other: Fraction): Fraction = Fraction(
    numerator.multiply(other.denominator).add(other.numerator.multiply(denominator)),
    denominator.multiply(other.denominator)
  ).reduced

  def -(other: Fraction): Fraction = this + Fraction(other.numerator.negate, other.denominator)

  def *(other: Fraction): Fraction = Fraction(
    numerator.multiply(other.numerator),
    denominator.multiply(other.denominator)
  ).reduced

  def /(other: Fraction): Fraction = {
    val sign = BigInteger.valueOf(other.numerator.signum.toLong)
    Fraction(
      numerator.multiply(other.denominator).multiply(sign),
      denominator.multiply(other.numerator).multiply(sign)
    ).reduced
  }

  def isZero: Boolean = numerator.signum == 0

  def signum: Int = numerator.signum

  def compare(other: Fraction): Int =
    numerator.multiply(other.denominator).compareTo(other.numerator.multiply(denominator))

  /** Removes common powers of two, which makes the following division fast enough. */
  private def reduced: Fraction = {
    val shared = math.min(numerator.getLowestSetBit, denominator.getLowestSetBit)
    if (shared <= 0) this
    else Fraction(numerator.shiftRight(shared), denominator.shiftRight(shared))
  }

  /** Returns the nearest double, halves to even, found only by comparing with doubles. */
  def toDouble: Double = if (isZero) 0.0
  else {
    val magnitude = if (signum < 0) Fraction(numerator.negate, denominator) else this
    // BigDecimal's own conversion of 800 digits is a guess; the comparison with its neighbors
    // decides.
    val guess = new BigDecimal(magnitude.numerator)
      .divide(new BigDecimal(magnitude.denominator), Fraction.Digits)
      .doubleValue
    val candidates = Seq(Math.nextDown(guess), guess, Math.nextUp(guess)).filter(_ >= 0.0)
    val nearest = candidates.reduce { (a, b) =>
      val (low, high) = if (a < b) (a, b) else (b, a)
      val middle = (Fraction.ofMagnitude(low) + Fraction.ofMagnitude(high)) / Fraction(2)
      val c = magnitude.compare(middle)
      val isLow = c < 0 || (c == 0 && (java.lang.Double.doubleToRawLongBits(low) & 1L) == 0L)
      if (isLow) low else high
    }
    if (signum < 0) -nearest else nearest
  }

  def sqrt(context: MathContext): BigDecimal =
    new BigDecimal(numerator)
      .divide(new BigDecimal(denominator), context)
      .sqrt(context)
}

object Fraction {
  val Digits = new MathContext(60, RoundingMode.HALF_EVEN)

  def apply(value: Long): Fraction = Fraction(BigInteger.valueOf(value), BigInteger.ONE)

  def apply(value: BigInteger): Fraction = Fraction(value, BigInteger.ONE)

  def exactly(value: Double): Fraction = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    val field = ((bits >>> 52) & 0x7ff).toInt
    val fraction = bits & ((1L << 52) - 1)
    val significand = BigInteger.valueOf(if (field == 0) fraction else fraction | (1L << 52))
    val exponent = math.max(field, 1) - 1075
    val signed = if (bits < 0) significand.negate else significand
    if (exponent >= 0) Fraction(signed.shiftLeft(exponent))
    else Fraction(signed, BigInteger.ONE.shiftLeft(-exponent)).reduced
  }

  /** Like `exactly`; infinity represents the power of two after the greatest double. */
  private def ofMagnitude(value: Double): Fraction =
    if (value.isInfinite) Fraction(BigInteger.ONE.shiftLeft(1024)) else exactly(value)

  def sum(values: Iterable[Fraction]): Fraction = values.foldLeft(Fraction(0L))(_ + _)
}

/** The exact moments of values, by their definitions. */
final case class ExactMoments(values: Seq[Double]) {
  private val exact = values.map(Fraction.exactly)
  private val common = exact.map(_.denominator).foldLeft(BigInteger.ONE)(_ max _)
  private val whole = exact.map(x => x.numerator.multiply(common).divide(x.denominator))
  private val sum = whole.foldLeft(BigInteger.ZERO)(_ add _)
  private val size = BigInteger.valueOf(values.size.toLong)

  val n: Fraction = Fraction(size)

  lazy val mean: Fraction = Fraction(sum, size.multiply(common))

  /** Returns the deviations from the mean, in units of one over their common denominator. */
  private lazy val deviations = whole.map(_.multiply(size).subtract(sum))
  private lazy val denominator = common.multiply(size)

  /** Returns the sum of the powers of the deviations. */
  def central(power: Int): Fraction = Fraction(
    deviations.map(_.pow(power)).foldLeft(BigInteger.ZERO)(_ add _),
    denominator.pow(power)
  )

  lazy val m2: Fraction = central(2)

  /** Returns the sum of the products of two deviations. */
  def ck(other: ExactMoments): Fraction = Fraction(
    deviations.zip(other.deviations).map { case (a, b) => a.multiply(b) }.reduce(_ add _),
    denominator.multiply(other.denominator)
  )
}

object Exact {

  /** Returns the distance of a double from an exact value, in ulps of the nearest double. */
  def ulps(actual: Double, exact: BigDecimal): Double =
    if (actual.isNaN || actual.isInfinite) {
      if (actual == exact.doubleValue) 0.0 else Double.PositiveInfinity
    } else {
      new BigDecimal(actual)
        .subtract(exact)
        .abs
        .divide(new BigDecimal(Math.ulp(exact.doubleValue)), Fraction.Digits)
        .doubleValue
    }

  def decimal(exact: Fraction): BigDecimal =
    new BigDecimal(exact.numerator).divide(new BigDecimal(exact.denominator), Fraction.Digits)
}
