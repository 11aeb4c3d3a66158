package io.muntin.kernel.columns

/** A column that finds the least or the greatest of its values in one pass over its array. */
trait FindsExtremes {

  /**
   * Returns the position of the greatest (`sign` 1) or the least (`sign` -1) non-null value at
   * [from, until): the first of equal values, or the last if `latest`. Returns -1 if all values are
   * null.
   */
  def extreme(from: Long, until: Long, sign: Int, latest: Boolean): Long
}
