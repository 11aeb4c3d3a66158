package org.apache.spark.sql.muntin.partials

import scala.collection.immutable.ArraySeq

/** The elements of an array that does not change, not copied. */
private[partials] object Wrapped {
  def apply[A](elements: Array[A]): Seq[A] = ArraySeq.unsafeWrapArray(elements)
}
