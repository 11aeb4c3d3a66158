package org.apache.spark.sql.muntin.aggregates

/**
 * An aggregate whose buffer is an object that can be written and read again; rows can be added to
 * the object that was read as to the object that was written.
 */
trait SmallBuffer {

  /** Whether the size of what is written does not depend on the number of rows. */
  def isSmall: Boolean = true
}
