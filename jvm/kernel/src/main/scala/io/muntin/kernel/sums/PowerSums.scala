package io.muntin.kernel.sums

/**
 * The exact sums of the powers of doubles, up to the second, third or fourth, with removal of any
 * double; and the moments about the mean, each within an ulp of its exact value.
 *
 * A power of a significand is an integer of up to 212 bits at a multiple of the double's position:
 * it is added to a ChunkSum like the double itself, so no power overflows or underflows. The final
 * computation of a moment is in integers as well: with S1, S2, ... in units of u, u^2, ...,
 *
 * {{{
 * D2 = n S2 - S1^2                                       = n m2
 * D3 = n^2 S3 - 3 n S1 S2 + 2 S1^3                       = n^2 m3
 * D4 = n^3 S4 - 4 n^2 S1 S3 + 6 n S1^2 S2 - 3 S1^4       = n^3 m4
 * skewness = D3 / sqrt(D2^3),  kurtosis - 3 = (D4 - 3 D2^2) / D2^2
 * }}}
 *
 * (m2, m3, m4 being the sums of the powers of the deviations). So cancellation occurs only in
 * integers, and only the last quotient is in double-doubles. A constant has D2 = 0 exactly.
 *
 * Cost per row, for any frame: 25 ns to add and subtract up to the second power, 70 ns to read a
 * variance, 200 a skewness, 400 a kurtosis; more for values of very different magnitude. Guarded by
 * PowerSumsSuite.
 */
final class PowerSums(order: Int, room: Int = Chunks.Room)
    extends JointSums(1 to order, room) {
  require(order >= 2 && order <= 4, s"sums of powers up to the $order-th")

  private val first = sums(0)
  private val second = sums(1)
  private val third = if (order >= 3) sums(2) else null
  private val fourth = if (order >= 4) sums(3) else null
  private val s1 = new LoadedSum(first)
  private val d2 = new Determinant(s1, s1, second)

  private val s2 = new Limbs
  private val s1Squared = new Limbs
  private val s3 = new Limbs
  private val s4 = new Limbs

  /** How many values are NaN or infinite: if any is, every moment is NaN. */
  final def nonFinite: Long = first.nonFinite

  final def add(value: Double): Unit = {
    change(value, 0L)
    changed(1L)
  }

  final def subtract(value: Double): Unit = {
    change(value, -1L)
    changed(-1L)
  }

  private def change(value: Double, direction: Long): Unit = {
    first.change(value, direction)
    val bits = java.lang.Double.doubleToRawLongBits(value)
    val m = Chunks.significand(bits)
    if (m != 0L && Chunks.isFinite(bits)) {
      val position = Chunks.position(bits)
      val high = Math.multiplyHigh(m, m)
      val low = m * m
      second.change(2 * position, high, low, direction)
      if (third != null) third.changeCube(3 * position, m, high, low, direction ^ (bits >> 63))
      if (fourth != null) fourth.changeFourth(4 * position, high, low, direction)
    }
  }

  override protected def align(): Unit = {
    s1.forget()
    d2.forget()
    val base = first.base
    if (
      !first.begins(base) || !second.begins(2 * base) ||
      (third != null && !third.begins(3 * base)) || (fourth != null && !fourth.begins(4 * base))
    ) alignAll()
  }

  private def alignAll(): Unit = {
    var base = least(least(JointSums.None, first, 1), second, 2)
    if (third != null) base = least(base, third, 3)
    if (fourth != null) base = least(base, fourth, 4)
    if (base == JointSums.None) base = 0
    var i = 0
    while (i < sums.length) {
      sums(i).beginAt((i + 1) * base)
      i += 1
    }
  }

  final def sum: Double = first.sum

  final def mean: Double = first.mean(count)

  /** Returns true if all values are equal. */
  final def isConstant: Boolean =
    nonFinite == 0L && find(d2).isZero

  /** The sum of the squared deviations from the mean. */
  final def m2: Double = overCount(1L)

  /** m2 over the count minus `ddof`; NaN if the divisor is 0. */
  final def variance(ddof: Int): Double = overCount(count - ddof)

  final def standardDeviation(ddof: Int): Double =
    if (nonFinite != 0L) Double.NaN
    else {
      divide(d2, count - ddof)
      numerator.squareRoot()
      numerator.toDouble(first.exponent)
    }

  /** NaN if the values are constant. */
  final def skewness: Double =
    if (isConstant || nonFinite != 0L) Double.NaN
    else {
      val n = count
      loadUpTo(3)
      // n (n S3 - 3 S1 S2) + 2 S1^3
      total.set(s3)
      total.scale(n)
      term.setProduct(s1.find(), s2)
      term.scale(3L)
      total.subtract(term)
      total.scale(n)
      term.setProduct(s1Squared, s1.find())
      term.scale(2L)
      total.add(term)
      denominator.set(find(d2))
      numerator.set(find(d2))
      numerator.multiply(denominator)
      denominator.multiply(numerator)
      denominator.squareRoot()
      numerator.set(total)
      numerator.divide(denominator)
      numerator.toDouble(0)
    }

  /** The kurtosis minus 3; NaN if the values are constant. */
  final def excessKurtosis: Double =
    if (isConstant || nonFinite != 0L) Double.NaN
    else {
      val n = count
      loadUpTo(4)
      // n (n (n S4 - 4 S1 S3) + 6 S1^2 S2) - 3 S1^4 - 3 D2^2
      total.set(s4)
      total.scale(n)
      term.setProduct(s1.find(), s3)
      term.scale(4L)
      total.subtract(term)
      total.scale(n)
      term.setProduct(s1Squared, s2)
      term.scale(6L)
      total.add(term)
      total.scale(n)
      term.setProduct(s1Squared, s1Squared)
      term.scale(3L)
      total.subtract(term)
      term.setProduct(find(d2), find(d2))
      denominator.set(term)
      term.scale(3L)
      total.subtract(term)
      numerator.set(total)
      numerator.divide(denominator)
      numerator.toDouble(0)
    }

  private def overCount(divisor: Long): Double =
    if (nonFinite != 0L) Double.NaN
    else {
      divide(d2, divisor)
      numerator.toDouble(d2.exponent)
    }

  /** Loads S1^2, S2 and so on. D2 must be known. */
  private def loadUpTo(power: Int): Unit = {
    s1Squared.setProduct(s1.find(), s1.find())
    second.load(s2)
    third.load(s3)
    if (power == 4) fourth.load(s4)
  }
}
