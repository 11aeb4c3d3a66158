package io.muntin.kernel.sums

/**
 * A positive or negative number as the unevaluated sum of two doubles, times a power of two: about
 * 100 bits, and no overflow or underflow before the final conversion. The leading double is the
 * number rounded to 53 bits. Mutable.
 *
 * Each operation has a relative error below 2^-98, so the error of a few operations and the final
 * rounding barely exceeds half an ulp. Source: Dekker 1971; Hida, Li and Bailey 2001. Guarded by
 * DoubleDoubleSuite.
 */
private[kernel] final class DoubleDouble {
  private var high = 0.0
  private var low = 0.0
  private var exponent = 0

  /** Sets it to the leading 106 bits of `integer`. */
  def set(integer: Limbs): Unit =
    if (integer.isZero) {
      high = 0.0
      low = 0.0
      exponent = 0
    } else {
      val top = integer.leading(0)
      val next = integer.leading(1)
      val a = (top >>> 11).toDouble
      val b = (((top & 0x7ffL) << 42) | (next >>> 22)).toDouble * DoubleDouble.Ulp
      exponent = integer.bitLength - 53
      renormalise(a, b)
      if (integer.isNegative) {
        high = -high
        low = -low
      }
      pull()
    }

  /** Copies `other`. */
  def set(other: DoubleDouble): Unit = {
    high = other.high
    low = other.low
    exponent = other.exponent
  }

  /** Sets it to `count`, a whole number of less than 54 bits. */
  def set(count: Long): Unit = {
    high = count.toDouble
    low = 0.0
    exponent = 0
    pull()
  }

  /** Multiplies by `count`, a whole number of less than 54 bits. */
  def multiply(count: Long): Unit = {
    multiply(count.toDouble, 0.0)
    pull()
  }

  def multiply(other: DoubleDouble): Unit = {
    exponent += other.exponent
    multiply(other.high, other.low)
    pull()
  }

  private def multiply(h: Double, l: Double): Unit = {
    val product = high * h
    val error = Math.fma(high, h, -product) + (high * l + low * h)
    renormalise(product, error)
  }

  def divide(other: DoubleDouble): Unit = {
    val q1 = high / other.high
    val r1 = Math.fma(-q1, other.high, high) + Math.fma(-q1, other.low, low)
    val q2 = r1 / other.high
    renormalise(q1, q2)
    exponent -= other.exponent
    pull()
  }

  def squareRoot(): Unit = if (high != 0.0) {
    if ((exponent & 1) != 0) {
      high *= 2.0
      low *= 2.0
      exponent -= 1
    }
    val root = Math.sqrt(high)
    val rest = Math.fma(-root, root, high) + low
    exponent >>= 1
    renormalise(root, rest / (root + root))
    pull()
  }

  /** Returns the double nearest to this times 2^power. */
  def toDouble(power: Int): Double = {
    val e = exponent + power
    if (e > -1000 && e < 1000) high * DoubleDouble.powerOfTwo(e) else Math.scalb(high, e)
  }

  /** Moves the exponent out of the leading double. */
  private def pull(): Unit = if (high != 0.0) {
    val e = Math.getExponent(high)
    if (e != 0) {
      val factor = DoubleDouble.powerOfTwo(-e)
      high *= factor
      low *= factor
      exponent += e
    }
  }

  private def renormalise(a: Double, b: Double): Unit = {
    high = a + b
    low = b - (high - a)
  }
}

private[kernel] object DoubleDouble {
  private val Ulp = 1.0 / (1L << 53)

  private def powerOfTwo(exponent: Int): Double =
    java.lang.Double.longBitsToDouble((exponent + 1023).toLong << 52)
}
