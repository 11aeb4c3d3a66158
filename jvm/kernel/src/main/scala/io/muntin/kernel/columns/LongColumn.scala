package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}
import java.nio.ByteBuffer

import io.muntin.kernel.memory.Memory

/** Integers, dates, times, intervals, booleans and decimals of up to 18 digits, as longs. */
final class LongColumn(memory: Memory, nullable: Boolean) extends Column(memory, nullable)
    with FindsExtremes {
  private var values = new Array[Long](Column.InitialCapacity)

  def append(value: Long): Unit = {
    // First, because the call may replace the array.
    val s = nextSlot()
    values(s) = value
  }

  def apply(position: Long): Long = values(slot(position))

  /** Overwrites the value at a position. */
  def update(position: Long, value: Long): Unit = values(present(position)) = value

  override def compare(left: Long, right: Long): Int =
    java.lang.Long.compare(apply(left), apply(right))

  override def compareTo(left: Long, other: Column, right: Long): Int =
    java.lang.Long.compare(apply(left), other.asInstanceOf[LongColumn](right))

  override def extreme(from: Long, until: Long, sign: Int, latest: Boolean): Long = {
    val toReplace = if (latest) 0 else 1
    var best = -1L
    var bestValue = 0L
    var p = from
    while (p < until) {
      if (!isNull(p)) {
        val value = apply(p)
        if (best < 0L || sign * java.lang.Long.compare(value, bestValue) >= toReplace) {
          best = p
          bestValue = value
        }
      }
      p += 1
    }
    best
  }

  override def hash(position: Long): Int = Column.mix(apply(position))

  override protected def reorderValues(order: Array[Int], count: Int): Unit = {
    val next = new Array[Long](mask + 1)
    var i = 0
    while (i < count) {
      next(i) = values(order(i))
      i += 1
    }
    values = next
  }

  override protected def setValue(target: Long, source: Column, position: Long): Unit = {
    val value = source.asInstanceOf[LongColumn](position)
    values(slotToWrite(target)) = value
  }

  override protected def saveValue(slot: Int, out: DataOutput): Unit = out.writeLong(values(slot))

  override protected def restoreValue(slot: Int, in: DataInput): Unit = values(slot) = in.readLong()

  override protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit = {
    val bytes = ByteBuffer.allocate(8 * count)
    bytes.asLongBuffer().put(values, from, count)
    out.write(bytes.array)
  }

  override protected def readValues(from: Int, count: Int, in: DataInputStream): Unit =
    ByteBuffer.wrap(in.readNBytes(8 * count)).asLongBuffer().get(values, from, count): Unit

  override protected def newLike(): Column = new LongColumn(memory, true)

  override protected def width: Int = 8

  override protected def resize(capacity: Int, move: Column.ArrayCopy): Unit = {
    val next = new Array[Long](capacity)
    move(values, next)
    values = next
  }
}

object LongColumn {

  /** Returns a column without nulls for one reader, which can be spilled. */
  private[kernel] def of(memory: Memory, reader: Column.Reader): LongColumn = {
    val column = new LongColumn(memory, nullable = false)
    column.addReader(reader)
    memory.paging.foreach(column.spillTo)
    column
  }
}
