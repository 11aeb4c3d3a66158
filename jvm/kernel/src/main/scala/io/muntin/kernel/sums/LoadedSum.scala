package io.muntin.kernel.sums

/**
 * A sum as a big integer, which is found once for all that are made of it: Sx is in the variance of
 * x and in the covariance of x and y.
 */
private[sums] final class LoadedSum(val sum: ChunkSum) {
  private var isKnown = false
  private val value = new Limbs

  /** The sum has changed. */
  def forget(): Unit = isKnown = false

  /** In units of the lowest bit of the sum's window. */
  def find(): Limbs = {
    if (!isKnown) {
      sum.load(value)
      isKnown = true
    }
    value
  }
}
