package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/**
 * The strings of a column batch's column. Where the column has a dictionary, as a scan of Parquet
 * leaves it, a string that stands in many rows is decoded once for all. Guarded by
 * DecodedStringsSuite.
 */
private[exchange] final class DecodedStrings {
  private var vector: ColumnVector = _
  // What says which string of the dictionary a row has; null where there is no dictionary.
  private var ids: WritableColumnVector = _
  // Which rows of the column with the dictionary are this column's; null where all are.
  private var rows: Array[Int] = _
  private val ofId = new Array[UTF8String](DecodedStrings.MostIds)

  /** The rows that are asked for are of this column; it may have others than it had before. */
  def begin(column: ColumnVector): Unit = {
    vector = column
    ids = null
    rows = null
    column match {
      case selected: SelectedColumn =>
        setDictionary(selected.of)
        rows = selected.rows
      case other => setDictionary(other)
    }
    if (ids != null) Arrays.fill(ofId.asInstanceOf[Array[AnyRef]], null)
  }

  private def setDictionary(column: ColumnVector): Unit = column match {
    case some: WritableColumnVector if some.hasDictionary => ids = some.getDictionaryIds
    case _ =>
  }

  /** The string of a row, which is not null. */
  def apply(row: Int): UTF8String = {
    val id =
      if (ids == null) Int.MaxValue
      else ids.getDictId(if (rows == null) row else rows(row))
    if (id >= ofId.length) vector.getUTF8String(row)
    else {
      if (ofId(id) == null) ofId(id) = vector.getUTF8String(row)
      ofId(id)
    }
  }
}

private object DecodedStrings {
  // In a large dictionary few strings stand in many rows of a batch.
  private val MostIds = 2048
}
