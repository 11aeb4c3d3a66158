package org.apache.spark.sql.muntin.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.unsafe.types.VariantVal

/** The elements of an `ArrayView` whose types only some Spark versions have. */
abstract class NewElements extends ArrayData {

  /** Returns the row with element `i`, valid until the next call. */
  protected def at(i: Int): InternalRow

  override def getVariant(i: Int): VariantVal = at(i).getVariant(0)
}
