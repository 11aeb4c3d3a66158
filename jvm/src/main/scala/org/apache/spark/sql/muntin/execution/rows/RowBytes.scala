package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.unsafe.Platform

/** The bytes of rows, whose number is a multiple of eight. */
private[execution] object RowBytes {
  // For fewer, a copy word by word costs less than the call of one that copies any bytes.
  private val FewBytes = 256

  def copy(from: AnyRef, fromOffset: Long, to: AnyRef, toOffset: Long, size: Int): Unit =
    if (size > FewBytes) Platform.copyMemory(from, fromOffset, to, toOffset, size.toLong)
    else {
      var i = 0
      while (i < size) {
        Platform.putLong(to, toOffset + i, Platform.getLong(from, fromOffset + i))
        i += 8
      }
    }
}
