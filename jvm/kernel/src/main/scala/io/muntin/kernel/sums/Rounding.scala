package io.muntin.kernel.sums

import java.math.BigInteger

import io.muntin.kernel.columns.Int128Column

/**
 * The single rounding of an exact result to a double: to nearest, ties to even, including
 * subnormals and overflow to infinity.
 *
 * The exact magnitude is passed as its leading bits, the weight of the last of them, and whether
 * non-zero bits follow (`sticky`). Guarded by LimbsSuite.
 */
private[kernel] object Rounding {

  /**
   * Returns the double nearest to `bits * 2^exponent`, where `bits` is unsigned. If non-zero bits
   * follow (`sticky`), `bits` has at least 55 bits.
   */
  def round(negative: Boolean, bits: Long, sticky: Boolean, exponent: Int): Double =
    if (bits == 0L) 0.0
    else {
      val length = 64 - java.lang.Long.numberOfLeadingZeros(bits)
      val dropped = math.max(length - 53, -1074 - exponent)
      val significand =
        if (dropped <= 0) bits << -dropped
        else if (dropped > 64) 0L
        else {
          val kept = (bits >>> (dropped - 1)) >>> 1
          val half = (bits >>> (dropped - 1)) & 1L
          val more = (bits << (64 - dropped) << 1) != 0L || sticky
          if (more) kept + half else kept + (half & kept)
        }
      val biased = exponent + dropped + 1074
      // A significand of 53 bits carries its leading bit into the exponent's field. A significand
      // that was rounded up to 2^53 carries again, and a subnormal does not carry.
      val magnitude =
        if (biased >= 2046) Infinite else (biased.toLong << 52) + significand
      java.lang.Double.longBitsToDouble(if (negative) magnitude | SignBit else magnitude)
    }

  /**
   * Returns the double nearest to `(top * 2^64 + next) * 2^exponent / divisor`, where `top` and
   * `next` are unsigned, the leading bit of `top` is set, and `sticky` is true if non-zero bits
   * follow `next`.
   */
  def quotient(
      negative: Boolean,
      top: Long,
      next: Long,
      sticky: Boolean,
      divisor: Long,
      exponent: Int
  ): Double =
    if (divisor == 1L) {
      round(negative, top, sticky || next != 0L, exponent + 64)
    } else if (divisor > Int.MaxValue) {
      wideQuotient(negative, top, next, sticky, divisor, exponent)
    } else {
      // Two steps of long division give 61 to 63 bits of the quotient: the first step uses 63 bits,
      // the second one bit less than the divisor has.
      val step = 63 - java.lang.Long.numberOfLeadingZeros(divisor)
      val first = top >>> 1
      val rest = (top << 63) | (next >>> 1)
      val q1 = first / divisor
      val r1 = first - q1 * divisor
      val second = (r1 << step) | ((rest >>> 1) >>> (63 - step))
      val q2 = second / divisor
      val r2 = second - q2 * divisor
      val more = sticky || r2 != 0L || (rest << step) != 0L || (next & 1L) != 0L
      round(negative, (q1 << step) + q2, more, exponent + 65 - step)
    }

  /**
   * Like the other overload, for the two's complement of three words, with or without leading
   * zeros.
   */
  def quotient(high: Long, middle: Long, low: Long, divisor: Long, exponent: Int): Double = {
    val sign = high >> 63
    val w0 = (low ^ sign) - sign
    val c0 = if (w0 == 0L) -sign else 0L
    val w1 = (middle ^ sign) + c0
    val w2 = (high ^ sign) + (if (w1 == 0L) c0 else 0L)
    if (w2 != 0L) shifted(sign, w2, w1, w0, divisor, exponent + 64)
    else if (w1 != 0L) shifted(sign, w1, w0, 0L, divisor, exponent)
    else shifted(sign, w0, 0L, 0L, divisor, exponent - 64)
  }

  private def shifted(
      sign: Long,
      w2: Long,
      w1: Long,
      w0: Long,
      divisor: Long,
      exponent: Int
  ): Double = {
    val s = java.lang.Long.numberOfLeadingZeros(w2)
    val top = (w2 << s) | ((w1 >>> 1) >>> (63 - s))
    val next = (w1 << s) | ((w0 >>> 1) >>> (63 - s))
    quotient(sign < 0L, top, next, (w0 << s) != 0L, divisor, exponent - s)
  }

  private def wideQuotient(
      negative: Boolean,
      top: Long,
      next: Long,
      sticky: Boolean,
      divisor: Long,
      exponent: Int
  ): Double = {
    val magnitude = Int128Column.unsigned(top).shiftLeft(64).or(Int128Column.unsigned(next))
    val parts = magnitude.divideAndRemainder(BigInteger.valueOf(divisor))
    val q = parts(0)
    val r = parts(1)
    val excess = q.bitLength - 64
    val more = sticky || r.signum != 0 || q.getLowestSetBit < excess
    round(negative, q.shiftRight(excess).longValue, more, exponent + excess)
  }

  /** Returns the high word of the product of two unsigned longs. */
  def multiplyHigh(a: Long, b: Long): Long =
    Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a)

  private val Infinite = 0x7ff0000000000000L
  private val SignBit = Long.MinValue
}
