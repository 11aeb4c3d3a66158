package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}

/**
 * The exact sums of the powers of doubles, up to the second, third or fourth, of which any double
 * can be taken back; and the moments about the mean, each within an ulp of its exact value.
 *
 * A power of a significand is an integer of up to 212 bits at a multiple of the double's position:
 * it is added to chunks as a Superaccumulator adds the double itself, so no power overflows or
 * underflows. A moment is finished in integers as well: with S1, S2, ... in units of u, u^2, ...,
 *
 * {{{
 * D2 = n S2 - S1^2                                       = n m2
 * D3 = n^2 S3 - 3 n S1 S2 + 2 S1^3                       = n^2 m3
 * D4 = n^3 S4 - 4 n^2 S1 S3 + 6 n S1^2 S2 - 3 S1^4       = n^3 m4
 * skewness = D3 / sqrt(D2^3),  kurtosis - 3 = (D4 - 3 D2^2) / D2^2
 * }}}
 *
 * (m2, m3, m4 being the sums of the powers of the deviations), so nothing cancels but in integers,
 * and only the last quotient is taken in double-doubles. A constant has D2 = 0 exactly.
 *
 * Cost per row, whatever the frame: 25 ns to add and subtract up to the second power, 70 ns to read
 * a variance, 200 a skewness, 400 a kurtosis; more where values of very different magnitude are
 * there together. Guarded by PowerSumsSuite.
 */
class PowerSums(order: Int, room: Long = Chunks.Room) {
  require(order >= 2 && order <= 4, s"sums of powers up to the $order-th")

  private val powers = order
  private val first = new Superaccumulator(room)
  private val second = new Array[Long](PowerSums.Width2)
  private val third = if (order >= 3) new Array[Long](PowerSums.Width3) else null
  private val fourth = if (order >= 4) new Array[Long](PowerSums.Width4) else null
  private var timesCarried = 0L

  // D2, D3 and so on of the values that it holds, where `settled` says so.
  private var settled = false
  private val s1 = new Limbs
  private val s2 = new Limbs
  private val s1Squared = new Limbs
  private val d2 = new Limbs
  private val s3 = new Limbs
  private val s4 = new Limbs
  private val total = new Limbs
  private val term = new Limbs
  private val numerator = new DoubleDouble
  private val denominator = new DoubleDouble

  /** How many values it holds. */
  final def count: Long = first.count

  /** How many of them are NaN or infinite: while there are any, every moment is NaN. */
  final def nonFinite: Long = first.nonFinite

  def clear(): Unit = {
    first.clear()
    java.util.Arrays.fill(second, 0L)
    if (third != null) java.util.Arrays.fill(third, 0L)
    if (fourth != null) java.util.Arrays.fill(fourth, 0L)
    settled = false
  }

  final def add(value: Double): Unit = {
    first.add(value)
    change(java.lang.Double.doubleToRawLongBits(value), 0L)
    if (first.timesCarried != timesCarried) carry()
  }

  final def subtract(value: Double): Unit = {
    first.subtract(value)
    change(java.lang.Double.doubleToRawLongBits(value), -1L)
  }

  /** Adds everything that `other`, of the same order, holds. */
  final def merge(other: PowerSums): Unit = {
    first.merge(other.first)
    if (other.first.timesCarried != other.timesCarried) other.carry()
    if (first.timesCarried != timesCarried) carry()
    Chunks.merge(second, other.second)
    if (third != null) Chunks.merge(third, other.third)
    if (fourth != null) Chunks.merge(fourth, other.fourth)
    settled = false
  }

  /** Becomes `count` values of these sums, of their powers up to this order. */
  final def restore(count: Long, sums: Array[CompactSum]): Unit = {
    clear()
    var span = Span.Empty
    var i = 0
    while (i < sums.length) {
      span = span.or(Span.of(sums(i).settled(), i + 1, PowerSums.Pieces(i)))
      i += 1
    }
    first.restore(count, sums(0), span)
    sums(1).pour(second)
    if (third != null) sums(2).pour(third)
    if (fourth != null) sums(3).pour(fourth)
    timesCarried = first.timesCarried
  }

  /** Gives the sum of the values to `target`, a sum of doubles. */
  final def keep(target: CompactSum): Unit = first.keep(target)

  /** Gives the sum of a higher power of the values to `target`, a sum of products of as many doubles. */
  final def keepPower(power: Int, target: CompactSum): Unit = {
    val chunks = if (power == 2) second else if (power == 3) third else fourth
    val from = power * first.lowest
    val until = power * first.highest + power - 1 + PowerSums.Pieces(power - 1)
    if (first.highest < first.lowest) target.become(chunks, 0, 0, 0)
    else target.become(chunks, from, math.min(until, chunks.length), 0)
  }

  protected final def savePowers(out: DataOutput): Unit = {
    out.writeLong(count)
    var power = 1
    while (power <= powers) {
      val kept = CompactSum(CompactSum.FloatingPoint(power))
      if (power == 1) keep(kept) else keepPower(power, kept)
      kept.save(out)
      power += 1
    }
  }

  protected final def restorePowers(in: DataInput): Unit = {
    val values = in.readLong()
    val sums = Array.tabulate(powers) { i =>
      CompactSum.restored(CompactSum.FloatingPoint(i + 1), in)
    }
    restore(values, sums)
  }

  final def sum: Double = first.sum

  final def mean: Double = first.mean(count)

  /** Whether all values are the same number. */
  final def isConstant: Boolean =
    nonFinite == 0L && {
      settle()
      d2.isZero
    }

  /** The sum of the squared deviations from the mean. */
  final def m2: Double = overCount(1L)

  /** m2 over the count less `ddof`; NaN where that is 0. */
  final def variance(ddof: Int): Double = overCount(count - ddof)

  final def standardDeviation(ddof: Int): Double =
    if (nonFinite != 0L) Double.NaN
    else {
      divide(count - ddof)
      numerator.squareRoot()
      numerator.toDouble(first.exponent)
    }

  /** NaN where the values are constant. */
  final def skewness: Double =
    if (isConstant || nonFinite != 0L) Double.NaN
    else {
      val n = count
      loadSecond()
      loadThird()
      // n (n S3 - 3 S1 S2) + 2 S1^3
      total.set(s3)
      total.scale(n)
      term.setProduct(s1, s2)
      term.scale(3L)
      total.subtract(term)
      total.scale(n)
      term.setProduct(s1Squared, s1)
      term.scale(2L)
      total.add(term)
      denominator.set(d2)
      numerator.set(d2)
      numerator.multiply(denominator)
      denominator.multiply(numerator)
      denominator.squareRoot()
      numerator.set(total)
      numerator.divide(denominator)
      numerator.toDouble(0)
    }

  /** The kurtosis less 3; NaN where the values are constant. */
  final def excessKurtosis: Double =
    if (isConstant || nonFinite != 0L) Double.NaN
    else {
      val n = count
      loadSecond()
      loadThird()
      loadFourth()
      // n (n (n S4 - 4 S1 S3) + 6 S1^2 S2) - 3 S1^4 - 3 D2^2
      total.set(s4)
      total.scale(n)
      term.setProduct(s1, s3)
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
      term.setProduct(d2, d2)
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
      divide(divisor)
      numerator.toDouble(2 * first.exponent)
    }

  /** D2 over the count and over `divisor`, in units of u^2. */
  private def divide(divisor: Long): Unit = {
    settle()
    numerator.set(d2)
    denominator.set(count)
    denominator.multiply(divisor)
    numerator.divide(denominator)
  }

  private def settle(): Unit = if (!settled) {
    first.load(s1)
    if (first.isShort && count <= Int.MaxValue) {
      d2.setDeterminant(count, second, 2 * first.lowest, s1, s1)
    } else {
      loadSecond()
      d2.set(s2)
      d2.scale(count)
      d2.subtract(s1Squared)
    }
    settled = true
  }

  private def loadSecond(): Unit = {
    load(s2, second, 2, 5)
    s1Squared.setProduct(s1, s1)
  }

  private def loadThird(): Unit = load(s3, third, 3, 6)

  private def loadFourth(): Unit = load(s4, fourth, 4, 8)

  /** The sum of the powers: that of a value in chunk i begins in one of [k i, k i + k). */
  private def load(limbs: Limbs, chunks: Array[Long], power: Int, pieces: Int): Unit = {
    val lowest = first.lowest
    val highest = first.highest
    if (highest < lowest) limbs.setZero()
    else {
      val from = power * lowest
      val needed = power * (highest - lowest) + power - 1 + pieces
      limbs.load(chunks, from, math.min((needed + 1) & ~1, (chunks.length - from) & ~1))
    }
  }

  private def change(bits: Long, direction: Long): Unit = {
    settled = false
    val m = Chunks.significand(bits)
    if (m != 0L && Chunks.isFinite(bits)) {
      val position = Chunks.position(bits)
      val high = Math.multiplyHigh(m, m)
      val low = m * m
      Chunks.add(second, 2 * position, high, low, direction)
      if (third != null)
        PowerSums.addCube(third, 3 * position, m, high, low, direction ^ (bits >> 63))
      if (fourth != null) PowerSums.addFourth(fourth, 4 * position, high, low, direction)
    }
  }

  private def carry(): Unit = {
    Chunks.carryOut(second)
    if (third != null) Chunks.carryOut(third)
    if (fourth != null) Chunks.carryOut(fourth)
    timesCarried = first.timesCarried
  }
}

private[kernel] object PowerSums {
  // The last double begins in chunk 63, its powers in 127, 191 and 255, of 5, 8 and 8 pieces.
  // More are for the carries and the sign, and a short read takes twelve.
  private final val Width2 = 140
  private final val Width3 = 202
  private final val Width4 = 266

  // How many chunks a power takes, from the one on in which it begins: as its `load` has it.
  private[kernel] val Pieces = Array(3, 5, 6, 8)

  /** Adds m^3 at `position`, where m^2 is `high` and `low`. */
  def addCube(
      chunks: Array[Long],
      position: Int,
      m: Long,
      high: Long,
      low: Long,
      sign: Long
  ): Unit = {
    val w0 = low * m
    val middle = high * m
    val w1 = middle + Rounding.multiplyHigh(low, m)
    val w2 = Math.multiplyHigh(high, m) + carry(w1, middle)
    Chunks.add(chunks, position, w0, w1, w2, 0L, sign)
  }

  /** Adds the square of `high` and `low` at `position`. */
  def addFourth(
      chunks: Array[Long],
      position: Int,
      high: Long,
      low: Long,
      sign: Long
  ): Unit = {
    val cross = high * low
    val crossHigh = Rounding.multiplyHigh(low, high)
    val w0 = low * low
    val w1 = Rounding.multiplyHigh(low, low) + (cross << 1)
    val c1 = carry(w1, cross << 1)
    val top = high * high
    val above = (crossHigh << 1) | (cross >>> 63)
    val once = top + above
    val w2 = once + c1
    val w3 = Math.multiplyHigh(high, high) + carry(once, top) + carry(w2, once)
    Chunks.add(chunks, position, w0, w1, w2, w3, sign)
  }

  /** What a sum has carried, of which `part` was one of the two. */
  private def carry(sum: Long, part: Long): Long =
    if (sum + Long.MinValue < part + Long.MinValue) 1L else 0L
}
