package io.muntin.kernel.sums

/**
 * A sum as a big integer, computed once for all determinants that use it: Sx is in the variance of
 * x and in the covariance of x and y.
 */
private[sums] final class LoadedSum(val sum: ChunkSum) {
  private var isKnown = false
  private val value = new Limbs

  /** Call it when the sum has changed. */
  def forget(): Unit = isKnown = false

  /** Returns the sum in units of the lowest bit of its window. */
  def find(): Limbs = {
    if (!isKnown) {
      sum.load(value)
      isKnown = true
    }
    value
  }
}
