package org.apache.spark.sql.muntin.aggregates

/**
 * An aggregate whose buffer is a serializable object; rows can be added to a deserialized buffer as
 * to the original.
 */
trait SmallBuffer {

  /** Returns true if the written size does not depend on the number of rows. */
  def isSmall: Boolean = true
}
