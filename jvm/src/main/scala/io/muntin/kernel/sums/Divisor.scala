package io.muntin.kernel.sums

import java.math.BigInteger

/**
 * Divides by a number that stays what it is for many rows, as that of the rows in a frame does. When it has
 * been the same for a while, its reciprocal is found, and a division is two multiplications.
 *
 * Cost per division: two to three nanoseconds, else that of Rounding.quotient. Source: Moeller and Granlund,
 * "Improved Division by Invariant Integers" (IEEE Transactions on Computers, 2011). Guarded by DivisorSuite.
 */
private[kernel] final class Divisor {
  import Divisor._

  private var last = 0L
  private var repeats = 0

  // Its leading bit is brought to the front; 0 for none.
  private var known = 0L
  private var shift = 0
  private var normalized = 0L
  private var reciprocal = 0L

  /** Rounding.quotient of the same. */
  def quotient(
      negative: Boolean,
      top: Long,
      next: Long,
      sticky: Boolean,
      divisor: Long,
      exponent: Int
  ): Double =
    if (divisor == known) byReciprocal(negative, top, next, sticky, exponent)
    else {
      if (divisor != last) {
        last = divisor
        repeats = 0
      } else if (repeats < Enough) repeats += 1
      else learn(divisor)
      Rounding.quotient(negative, top, next, sticky, divisor, exponent)
    }

  private def byReciprocal(
      negative: Boolean,
      top: Long,
      next: Long,
      sticky: Boolean,
      exponent: Int
  ): Double = {
    val high = top >>> 1
    val low = (top << 63) | (next >>> 1)
    val product = reciprocal * high
    val estimated = product + low
    val carry = if (java.lang.Long.compareUnsigned(estimated, product) < 0) 1L else 0L
    var q = Rounding.multiplyHigh(reciprocal, high) + high + carry + 1L
    var rest = low - q * normalized
    if (java.lang.Long.compareUnsigned(rest, estimated) > 0) {
      q -= 1L
      rest += normalized
    }
    if (java.lang.Long.compareUnsigned(rest, normalized) >= 0) {
      q += 1L
      rest -= normalized
    }
    val more = sticky || rest != 0L || (next & 1L) != 0L
    Rounding.round(negative, q, more, exponent + 1 + shift)
  }

  private def learn(divisor: Long): Unit = {
    shift = java.lang.Long.numberOfLeadingZeros(divisor)
    normalized = divisor << shift
    reciprocal = AllOnes.divide(Rounding.unsigned(normalized)).longValue
    known = divisor
  }
}

private object Divisor {
  // So that what changes with every row or two costs no more than before.
  private val Enough = 8

  // Two words. What exceeds one word in the quotient is implied.
  private val AllOnes = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE)
}
