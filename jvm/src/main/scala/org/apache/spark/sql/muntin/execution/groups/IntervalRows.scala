package org.apache.spark.sql.muntin.execution.groups

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.muntin.spark.MuntinRuntimeException
import org.apache.spark.unsafe.Platform

/**
 * The rows of a group as bytes that can be sent, in the order of arrival: for each row its length,
 * then Spark's compact row.
 */
final class IntervalRows private (private var bytes: Array[Byte], private var used: Int) {
  import IntervalRows._

  def this() = this(Array.emptyByteArray, 0)

  def add(row: UnsafeRow): Unit = {
    val length = row.getSizeInBytes
    makeRoom(Header.toLong + length)
    Platform.putLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + used, length.toLong)
    row.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + used + Header)
    used += Header + length
  }

  /** Appends the rows of `others`. */
  def addAll(others: IntervalRows): Unit = {
    makeRoom(others.used.toLong)
    System.arraycopy(others.bytes, 0, bytes, used, others.used)
    used += others.used
  }

  def toBytes: Array[Byte] = Arrays.copyOf(bytes, used)

  /** Returns views of the rows, which have `fields` fields; valid until rows are added. */
  def rows(fields: Int): Array[UnsafeRow] = {
    val found = Array.newBuilder[UnsafeRow]
    var at = 0
    while (at < used) {
      val length = Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at).toInt
      val row = new UnsafeRow(fields)
      row.pointTo(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at + Header, length)
      found += row
      at += Header + length
    }
    found.result()
  }

  private def makeRoom(size: Long): Unit =
    if (used + size > bytes.length) {
      if (used + size > MaxCapacity) {
        throw new MuntinRuntimeException(
          "MUNTIN_GROUP_TOO_LARGE",
          "function" -> Intervals.name,
          "limit" -> MaxCapacity.toString
        )
      }
      val capacity = math.max(used + size, math.min(MaxCapacity.toLong, 2L * bytes.length))
      bytes = Arrays.copyOf(bytes, capacity.toInt)
    }
}

object IntervalRows {
  private val Header = 8
  private val MaxCapacity = Int.MaxValue - 16

  def of(bytes: Array[Byte]): IntervalRows = new IntervalRows(bytes, bytes.length)
}
