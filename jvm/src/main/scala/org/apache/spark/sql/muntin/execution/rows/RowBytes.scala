package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.unsafe.Platform

/** The bytes of rows and of their values, of any number. Guarded by RowBytesSuite. */
private[execution] object RowBytes {
  // For fewer, a copy word by word costs less than the call of one that copies any bytes.
  private val FewBytes = 256

  /** Copies so many bytes; no byte beside them is read or written. */
  def copy(from: AnyRef, fromOffset: Long, to: AnyRef, toOffset: Long, size: Int): Unit =
    if (size > FewBytes) Platform.copyMemory(from, fromOffset, to, toOffset, size.toLong)
    else if (size >= 8) {
      // The last word may have bytes of the word before it once more.
      val last = size - 8
      var i = 0
      while (i < last) {
        Platform.putLong(to, toOffset + i, Platform.getLong(from, fromOffset + i))
        i += 8
      }
      Platform.putLong(to, toOffset + last, Platform.getLong(from, fromOffset + last))
    } else if (size >= 4) {
      val last = size - 4
      val head = Platform.getInt(from, fromOffset)
      Platform.putInt(to, toOffset + last, Platform.getInt(from, fromOffset + last))
      Platform.putInt(to, toOffset, head)
    } else {
      var i = 0
      while (i < size) {
        Platform.putByte(to, toOffset + i, Platform.getByte(from, fromOffset + i))
        i += 1
      }
    }
}
