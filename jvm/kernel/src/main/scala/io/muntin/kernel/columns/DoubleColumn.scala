package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}
import java.nio.ByteBuffer

import io.muntin.kernel.memory.Memory

/** Floats and doubles. */
final class DoubleColumn(memory: Memory, nullable: Boolean) extends Column(memory, nullable)
    with FindsExtremes {
  private var values = new Array[Double](Column.InitialCapacity)

  def append(value: Double): Unit = {
    val s = nextSlot()
    values(s) = value
  }

  def apply(position: Long): Double = values(slot(position))

  override def compare(left: Long, right: Long): Int =
    DoubleColumn.compare(apply(left), apply(right))

  override def compareTo(left: Long, other: Column, right: Long): Int =
    DoubleColumn.compare(apply(left), other.asInstanceOf[DoubleColumn](right))

  override def extreme(from: Long, until: Long, sign: Int, latest: Boolean): Long = {
    val toReplace = if (latest) 0 else 1
    var best = -1L
    var bestValue = 0.0
    var p = from
    while (p < until) {
      if (!isNull(p)) {
        val value = apply(p)
        if (best < 0L || sign * DoubleColumn.compare(value, bestValue) >= toReplace) {
          best = p
          bestValue = value
        }
      }
      p += 1
    }
    best
  }

  // Adding 0.0 makes the zeros equal; all NaNs have the same bits.
  override def hash(position: Long): Int =
    Column.mix(java.lang.Double.doubleToLongBits(apply(position) + 0.0))

  override protected def reorderValues(order: Array[Int], count: Int): Unit = {
    val next = new Array[Double](mask + 1)
    var i = 0
    while (i < count) {
      next(i) = values(order(i))
      i += 1
    }
    values = next
  }

  override protected def setValue(target: Long, source: Column, position: Long): Unit = {
    val value = source.asInstanceOf[DoubleColumn](position)
    values(slotToWrite(target)) = value
  }

  override protected def saveValue(slot: Int, out: DataOutput): Unit =
    out.writeLong(java.lang.Double.doubleToRawLongBits(values(slot)))

  override protected def restoreValue(slot: Int, in: DataInput): Unit =
    values(slot) = java.lang.Double.longBitsToDouble(in.readLong())

  // Written unchanged: a NaN keeps its bits.
  override protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit = {
    val bytes = ByteBuffer.allocate(8 * count)
    bytes.asDoubleBuffer().put(values, from, count)
    out.write(bytes.array)
  }

  override protected def readValues(from: Int, count: Int, in: DataInputStream): Unit =
    ByteBuffer.wrap(in.readNBytes(8 * count)).asDoubleBuffer().get(values, from, count): Unit

  override protected def newLike(): Column = new DoubleColumn(memory, true)

  override protected def width: Int = 8

  override protected def resize(capacity: Int, move: Column.ArrayCopy): Unit = {
    val next = new Array[Double](capacity)
    move(values, next)
    values = next
  }
}

object DoubleColumn {

  /** SQL's order of doubles: -0.0 equals 0.0, NaN equals NaN and is above everything. */
  def compare(left: Double, right: Double): Int =
    if (left < right) -1
    else if (left > right) 1
    else if (left == right) 0
    else java.lang.Boolean.compare(left.isNaN, right.isNaN)

  /** Returns a long that sorts like the double. */
  private[kernel] def sortable(value: Double): Long = {
    // Adding 0.0 makes the zeros equal; all NaNs have the same bits.
    val bits = java.lang.Double.doubleToLongBits(value + 0.0)
    bits ^ ((bits >> 63) & Long.MaxValue)
  }
}
