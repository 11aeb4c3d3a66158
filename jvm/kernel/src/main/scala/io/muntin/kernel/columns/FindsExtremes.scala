package io.muntin.kernel.columns

/** A column that finds the least and the greatest of its values in one pass over its array. */
trait FindsExtremes {

  /**
   * Where the greatest (`sign` 1) or the least (`sign` -1) of the values at [from, until) is that
   * are not null: of equal ones the first, or the `latest`; -1 where all are null.
   */
  def extreme(from: Long, until: Long, sign: Int, latest: Boolean): Long
}
