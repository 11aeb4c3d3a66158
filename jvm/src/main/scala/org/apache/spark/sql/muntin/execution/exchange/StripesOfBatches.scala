package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}
import org.apache.spark.unsafe.Platform

/**
 * Builds stripes from column batches. A step adds some rows of a batch: it finds the place of each
 * row in the stripe of its partition, and then proceeds column by column.
 */
private[exchange] final class StripesOfBatches(
    batches: Iterator[ColumnarBatch],
    types: Seq[DataType],
    layout: Layout,
    partitions: Int,
    partitionIds: PartitionIds
) extends StripeDistributor(layout, partitions) {
  private val dataTypes = types.toArray
  private val varying: Array[VaryingValues] = types.indices.map { c =>
    if (layout.widths(c) > 0) null else VaryingValues(types, c)
  }.toArray

  private var batch: ColumnarBatch = _
  private var next0 = 0
  private var rowsOfStep = mostRows

  override protected def step(): Boolean = {
    while ((batch == null || next0 == batch.numRows) && batches.hasNext) {
      batch = batches.next()
      next0 = 0
    }
    batch != null && next0 < batch.numRows && {
      takeIn()
      stepped()
      true
    }
  }

  private def takeIn(): Unit = {
    var until = math.min(batch.numRows, next0 + rowsOfStep)
    var bytes = load(until)
    // If values are long, steps are short, so that stripes stay small.
    while (bytes > Stripes.BytesOfStripe && until - next0 > 1) {
      rowsOfStep = math.max(1, (until - next0) / 2)
      until = next0 + rowsOfStep
      bytes = load(until)
    }
    if (bytes < Stripes.BytesOfStripe / 4L) {
      rowsOfStep = math.min(mostRows, rowsOfStep * 2)
    }
    partitionIds.write(batch, next0, until, ids)
    val rows = until - next0
    findPlaces(rows, bytes)
    var c = 0
    while (c < dataTypes.length) {
      if (varying(c) == null) addFixed(batch.column(c), c, rows) else addVarying(c, rows)
      c += 1
    }
    addedAll()
    next0 = until
  }

  private def load(until: Int): Long = {
    var sum = 0L
    var c = 0
    while (c < varying.length) {
      if (varying(c) != null) sum += varying(c).load(batch, c, next0, until)
      c += 1
    }
    sum
  }

  private def addVarying(c: Int, rows: Int): Unit = {
    val values = varying(c)
    val vector = batch.column(c)
    var i = 0
    while (i < rows) {
      if (vector.isNullAt(next0 + i)) builders.setNull(c, ids(i), places(i))
      val at = builders.append(c, ids(i), places(i), values.size(i))
      values.copy(i, builders.ofColumn(c)(ids(i)), at)
      i += 1
    }
  }

  private def addFixed(vector: ColumnVector, c: Int, rows: Int): Unit = {
    val hasNull = vector.hasNull
    if (hasNull) {
      var i = 0
      while (i < rows) {
        if (vector.isNullAt(next0 + i)) builders.setNull(c, ids(i), places(i))
        i += 1
      }
    }
    val to = builders.ofColumn(c)
    physical(dataTypes(c)) match {
      case _: LongType => addLongs(vector, hasNull, to, rows)
      case IntegerType => addInts(vector, hasNull, to, rows)
      case DoubleType => addDoubles(vector, hasNull, to, rows)
      case other => addOthers(other, vector, hasNull, to, rows)
    }
  }

  /** Returns a type whose values a column batch returns in the same way. */
  private def physical(dataType: DataType): DataType = dataType match {
    case DateType | _: YearMonthIntervalType => IntegerType
    case BooleanType | ByteType | ShortType | IntegerType | FloatType | DoubleType => dataType
    case _: DecimalType | NullType => dataType
    case u: UserDefinedType[_] => physical(u.sqlType)
    case _ => LongType
  }

  private def addLongs(
      vector: ColumnVector,
      hasNull: Boolean,
      to: Array[Array[Byte]],
      rows: Int
  ): Unit = {
    var i = 0
    while (i < rows) {
      if (!hasNull || !vector.isNullAt(next0 + i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + 8L * places(i)
        Platform.putLong(to(ids(i)), offset, vector.getLong(next0 + i))
      }
      i += 1
    }
  }

  private def addInts(
      vector: ColumnVector,
      hasNull: Boolean,
      to: Array[Array[Byte]],
      rows: Int
  ): Unit = {
    var i = 0
    while (i < rows) {
      if (!hasNull || !vector.isNullAt(next0 + i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + 4L * places(i)
        Platform.putInt(to(ids(i)), offset, vector.getInt(next0 + i))
      }
      i += 1
    }
  }

  private def addDoubles(
      vector: ColumnVector,
      hasNull: Boolean,
      to: Array[Array[Byte]],
      rows: Int
  ): Unit = {
    var i = 0
    while (i < rows) {
      if (!hasNull || !vector.isNullAt(next0 + i)) {
        val offset = Platform.BYTE_ARRAY_OFFSET + 8L * places(i)
        Platform.putDouble(to(ids(i)), offset, vector.getDouble(next0 + i))
      }
      i += 1
    }
  }

  private def addOthers(
      dataType: DataType,
      vector: ColumnVector,
      hasNull: Boolean,
      to: Array[Array[Byte]],
      rows: Int
  ): Unit = {
    var i = 0
    while (i < rows) {
      val row = next0 + i
      if (!hasNull || !vector.isNullAt(row)) {
        val bytes = to(ids(i))
        val place = places(i).toLong
        val start = Platform.BYTE_ARRAY_OFFSET
        dataType match {
          case BooleanType => Platform.putBoolean(bytes, start + place, vector.getBoolean(row))
          case ByteType => Platform.putByte(bytes, start + place, vector.getByte(row))
          case ShortType => Platform.putShort(bytes, start + 2L * place, vector.getShort(row))
          case FloatType => Platform.putFloat(bytes, start + 4L * place, vector.getFloat(row))
          case d: DecimalType =>
            val unscaled = vector.getDecimal(row, d.precision, d.scale).toUnscaledLong
            Platform.putLong(bytes, start + 8L * place, unscaled)
          case _ => ()
        }
      }
      i += 1
    }
  }
}
