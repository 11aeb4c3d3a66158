package org.apache.spark.sql.muntin.execution.exchange

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** Stripes of rows, where the operator below the exchange has no columns. */
private[exchange] final class StripesOfRows(
    rows: Iterator[InternalRow],
    layout: Layout,
    partitions: Int,
    partitionOf: InternalRow => Int
) extends Stripes(layout, partitions) {
  private val columns = layout.size

  override protected def step(): Boolean = rows.hasNext && {
    var left = StripesOfRows.RowsOfStep
    while (left > 0 && rows.hasNext) {
      add(rows.next().asInstanceOf[UnsafeRow])
      left -= 1
    }
    stepped()
    true
  }

  private def add(row: UnsafeRow): Unit = {
    val partition = partitionOf(row)
    makeRoom(partition, 1, if (layout.isFixed) 0L else row.getSizeInBytes.toLong)
    val place = builders.place(partition)
    var c = 0
    while (c < columns) {
      val width = layout.widths(c)
      val isNull = row.isNullAt(c)
      if (isNull) builders.setNull(c, partition, place)
      if (width > 0) {
        if (!isNull) addFixed(row, c, width, builders.ofColumn(c)(partition), place)
      } else if (isNull && !layout.isReserved(c)) builders.append(c, partition, place, 0): Unit
      else addVarying(row, c, partition, place)
      c += 1
    }
    added(partition)
  }

  private def addFixed(row: UnsafeRow, c: Int, width: Int, to: Array[Byte], place: Int): Unit = {
    val offset = Platform.BYTE_ARRAY_OFFSET + place.toLong * width
    if (width == 8) Platform.putLong(to, offset, row.getLong(c))
    else if (width == 4) Platform.putInt(to, offset, row.getInt(c))
    else if (width == 2) Platform.putShort(to, offset, row.getShort(c))
    else Platform.putByte(to, offset, row.getByte(c))
  }

  private def addVarying(row: UnsafeRow, c: Int, partition: Int, place: Int): Unit = {
    val word = row.getLong(c)
    val size = word.toInt
    val at = builders.append(c, partition, place, size)
    Platform.copyMemory(
      row.getBaseObject,
      row.getBaseOffset + (word >>> 32),
      builders.ofColumn(c)(partition),
      Platform.BYTE_ARRAY_OFFSET.toLong + at,
      size.toLong
    )
  }
}

private object StripesOfRows {
  private val RowsOfStep = 1024
}
