package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.muntin.execution.rows.RowBytes
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** The values of a variable-length column, for some rows of a column batch. */
private[exchange] abstract class VaryingValues {

  /** Loads the values of the rows from `from` until `until`. Returns how many bytes they have. */
  def load(batch: ColumnarBatch, column: Int, from: Int, until: Int): Long

  /** Returns how many bytes the value of a row has; `row` counts from `from`. */
  def size(row: Int): Int

  def copy(row: Int, to: Array[Byte], at: Int): Unit
}

private[exchange] object VaryingValues {
  def apply(types: Seq[DataType], column: Int): VaryingValues = types(column) match {
    case _: StringType => new Strings
    case BinaryType => new Binaries
    case d: DecimalType => new Decimals(d)
    case other => new Others(column, other)
  }

  private final class Strings extends VaryingValues {
    private val values = new Array[UTF8String](Stripes.MostRowsOfStep)
    private val decoded = new DecodedStrings

    override def load(batch: ColumnarBatch, column: Int, from: Int, until: Int): Long = {
      val vector = batch.column(column)
      decoded.begin(vector)
      var sum = 0L
      var i = 0
      while (from + i < until) {
        val value = if (vector.isNullAt(from + i)) null else decoded(from + i)
        values(i) = value
        if (value != null) sum += value.numBytes
        i += 1
      }
      sum
    }

    override def size(row: Int): Int = if (values(row) == null) 0 else values(row).numBytes

    override def copy(row: Int, to: Array[Byte], at: Int): Unit = {
      val value = values(row)
      if (value != null) RowBytes.copy(
        value.getBaseObject,
        value.getBaseOffset,
        to,
        Platform.BYTE_ARRAY_OFFSET.toLong + at,
        value.numBytes
      )
    }
  }

  private abstract class Arrays extends VaryingValues {
    private val values = new Array[Array[Byte]](Stripes.MostRowsOfStep)

    protected def bytes(vector: ColumnVector, row: Int): Array[Byte]

    override def load(batch: ColumnarBatch, column: Int, from: Int, until: Int): Long = {
      val vector = batch.column(column)
      var sum = 0L
      var i = 0
      while (from + i < until) {
        values(i) = if (vector.isNullAt(from + i)) null else bytes(vector, from + i)
        if (values(i) != null) sum += values(i).length
        i += 1
      }
      sum
    }

    override def size(row: Int): Int = if (values(row) == null) 0 else values(row).length

    override def copy(row: Int, to: Array[Byte], at: Int): Unit =
      if (values(row) != null) System.arraycopy(values(row), 0, to, at, values(row).length)
  }

  private final class Binaries extends Arrays {
    override protected def bytes(vector: ColumnVector, row: Int): Array[Byte] =
      vector.getBinary(row)
  }

  private final class Decimals(of: DecimalType) extends Arrays {
    override protected def bytes(vector: ColumnVector, row: Int): Array[Byte] =
      vector.getDecimal(row, of.precision, of.scale).toJavaBigDecimal.unscaledValue.toByteArray
  }

  /** Values of other types, as Spark writes them to rows of this single column. */
  private final class Others(column: Int, dataType: DataType) extends VaryingValues {
    private val project =
      UnsafeProjection.create(Seq(BoundReference(column, dataType, nullable = true)))
    private val rows = new Array[UnsafeRow](Stripes.MostRowsOfStep)

    override def load(batch: ColumnarBatch, column: Int, from: Int, until: Int): Long = {
      var sum = 0L
      var i = 0
      while (from + i < until) {
        rows(i) = project(batch.getRow(from + i)).copy()
        sum += size(i)
        i += 1
      }
      sum
    }

    // A row's field for a null has a size, if anything is reserved.
    override def size(row: Int): Int = rows(row).getLong(0).toInt

    override def copy(row: Int, to: Array[Byte], at: Int): Unit = {
      val word = rows(row).getLong(0)
      RowBytes.copy(
        rows(row).getBaseObject,
        rows(row).getBaseOffset + (word >>> 32),
        to,
        Platform.BYTE_ARRAY_OFFSET.toLong + at,
        word.toInt
      )
    }
  }
}
