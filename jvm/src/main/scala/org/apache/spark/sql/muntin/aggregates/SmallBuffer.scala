package org.apache.spark.sql.muntin.aggregates

/**
 * An aggregate whose buffer is an object that can be written and read again; rows can be added to
 * the object that was read as to the original.
 */
trait SmallBuffer {

  /** Returns true if the written size does not depend on the number of rows. */
  def isSmall: Boolean = true
}
