package org.apache.spark.sql.muntin.aggregates

/**
 * An aggregate whose buffer is an object that can be written and read again, and rows be added to
 * what was read as if nothing had been.
 */
trait SmallBuffer {

  /** Whether what is written does not grow with the rows. */
  def isSmall: Boolean
}
