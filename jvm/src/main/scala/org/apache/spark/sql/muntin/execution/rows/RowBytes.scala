package org.apache.spark.sql.muntin.execution.rows

import org.apache.spark.unsafe.Platform

/** Copies the bytes of rows and of their values, of any number. Guarded by RowBytesSuite. */
private[execution] object RowBytes {
  // For fewer bytes, copying word by word costs less than calling a general copy.
  private val FewBytes = 256

  /** Copies `size` bytes; no other byte is read or written. */
  def copy(from: AnyRef, fromOffset: Long, to: AnyRef, toOffset: Long, size: Int): Unit =
    if (size > FewBytes) Platform.copyMemory(from, fromOffset, to, toOffset, size.toLong)
    else if (size >= 8) {
      // The last word may repeat bytes of the word before it.
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
