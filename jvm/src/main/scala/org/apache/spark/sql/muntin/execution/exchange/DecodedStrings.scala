package org.apache.spark.sql.muntin.execution.exchange

import java.util.Arrays

import org.apache.spark.sql.execution.vectorized.WritableColumnVector
import org.apache.spark.sql.vectorized.ColumnVector
import org.apache.spark.unsafe.types.UTF8String

/**
 * The strings of a column batch's column. If the column has a dictionary, as after a Parquet scan,
 * a string that occurs in many rows is decoded only once. Guarded by DecodedStringsSuite.
 */
private[exchange] final class DecodedStrings {
  private var vector: ColumnVector = _
  // The dictionary index of each row; null without a dictionary.
  private var ids: WritableColumnVector = _
  // The rows of the column with the dictionary that belong to this column; null if all do.
  private var rows: Array[Int] = _
  private val ofId = new Array[UTF8String](DecodedStrings.MostIds)

  /** Switches to this column; also necessary if the column's rows have changed. */
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

  /** Returns the string of a row, which is not null. */
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
  // In a large dictionary few strings occur in many rows of a batch.
  private val MostIds = 2048
}
