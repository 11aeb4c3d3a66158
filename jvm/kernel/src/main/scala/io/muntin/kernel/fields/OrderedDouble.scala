package io.muntin.kernel.fields

/**
 * Doubles as longs in the same order, for bounds of a stream, which are longs. Each double has a
 * distinct long, except that both zeros have the same; the next long is the next double.
 *
 *     ordinal(-1.5) < ordinal(0.0) = ordinal(-0.0) < ordinal(4.9e-324) = ordinal(0.0) + 1
 *
 * Guarded by OrderedDoubleSuite.
 */
object OrderedDouble {

  /** Returns the ordinal of a value that is not NaN. */
  def ordinal(value: Double): Long = flipped(java.lang.Double.doubleToRawLongBits(value + 0.0))

  /** Returns the value with this ordinal; infinite below and above all values. */
  def value(ordinal: Long): Double =
    if (ordinal >= Highest) Double.PositiveInfinity
    else if (ordinal <= Lowest) Double.NegativeInfinity
    else java.lang.Double.longBitsToDouble(flipped(ordinal)) + 0.0

  // The bits of negative doubles ascend as the doubles descend.
  private def flipped(bits: Long): Long = bits ^ ((bits >> 63) & Long.MaxValue)

  private val Highest = flipped(java.lang.Double.doubleToRawLongBits(Double.PositiveInfinity))
  private val Lowest = flipped(java.lang.Double.doubleToRawLongBits(Double.NegativeInfinity))
}
