package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.plans.logical.Window

/** An optimizer hint of Spark about the windows of an OVER clause. */
object WindowHint {
  def isSame(one: Window, other: Window): Boolean = one.hint == other.hint
}
