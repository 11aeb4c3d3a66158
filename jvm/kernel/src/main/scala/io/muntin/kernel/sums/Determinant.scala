package io.muntin.kernel.sums

/**
 * n Sab - Sa Sb, of n pairs (a, b) with the sums Sa, Sb, and Sab of their products: n times the sum
 * of the products of the deviations from the means, as an integer, exactly. Every second moment is
 * computed from it; for a variance, b = a.
 *
 * An example: for (1, 2) and (3, 8) it is 2 * 26 - 4 * 10 = 12; the deviations from the means are
 * (-1, -3) and (1, 3), and their products sum up to 6.
 *
 * Cost: 20 nanoseconds if sums have three chunks and products six, as for doubles of similar
 * magnitude; 30 if they have five and ten. Guarded by PowerSumsSuite and PairSumsSuite.
 */
private[sums] final class Determinant(a: LoadedSum, b: LoadedSum, products: ChunkSum) {
  private var isKnown = false

  private val value = new Limbs
  private val term = new Limbs

  // The determinant over the count and over a divisor, which is 0 if no quotient is cached: a
  // variance and a deviation of the same rows are read one after the other.
  private val quotient = new DoubleDouble
  private val denominator = new DoubleDouble
  private var divisorOfQuotient = 0L

  def exponent: Int = a.sum.exponent + b.sum.exponent

  /** Call it when the sums have changed. */
  def forget(): Unit = {
    isKnown = false
    divisorOfQuotient = 0L
  }

  /**
   * Returns the determinant of sums of `count` rows, whose windows are aligned, in units of
   * 2^exponent.
   */
  def find(count: Long): Limbs = {
    if (!isKnown) {
      findAnew(count)
      isKnown = true
    }
    value
  }

  /** Returns the determinant over the count and over `divisor`. The caller must not change it. */
  def over(count: Long, divisor: Long): DoubleDouble = {
    if (divisor == 0L || divisor != divisorOfQuotient) {
      quotient.set(find(count))
      denominator.set(count)
      denominator.multiply(divisor)
      quotient.divide(denominator)
      divisorOfQuotient = divisor
    }
    quotient
  }

  private def findAnew(count: Long): Unit = {
    val sumOfA = a.find()
    val sumOfB = b.find()
    val isShort = a.sum.isShort && b.sum.isShort && count <= Int.MaxValue
    if (isShort && products.size <= 6 && sumOfA.isNarrow && sumOfB.isNarrow)
      value.setNarrowDeterminant(count, products.chunks, sumOfA, sumOfB)
    // If the sums have five chunks each, their products have up to ten.
    else if (isShort && products.size <= 10)
      value.setDeterminant(count, products.chunks, 0, sumOfA, sumOfB)
    else {
      products.load(value)
      value.scale(count)
      term.setProduct(sumOfA, sumOfB)
      value.subtract(term)
    }
  }
}
