package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData

/** The elements of an `ArrayView` of types that not every Spark has. */
abstract class NewElements extends ArrayData {

  /** The row that holds element `i`, valid until the next call. */
  protected def at(i: Int): InternalRow
}
