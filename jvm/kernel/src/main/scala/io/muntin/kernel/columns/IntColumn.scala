package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}
import java.nio.ByteBuffer

import io.muntin.kernel.memory.Memory

/** Small non-null numbers for the rows of a kernel's frame. */
private[kernel] final class IntColumn(memory: Memory) extends Column(memory, false) {
  private var values = new Array[Int](Column.InitialCapacity)

  def append(value: Int): Unit = {
    // First, because the call may replace the array.
    val s = nextSlot()
    values(s) = value
  }

  def apply(position: Long): Int = values(slot(position))

  /** Overwrites the value at a position. */
  def update(position: Long, value: Int): Unit = values(present(position)) = value

  override def compare(left: Long, right: Long): Int = Integer.compare(apply(left), apply(right))

  override def compareTo(left: Long, other: Column, right: Long): Int =
    Integer.compare(apply(left), other.asInstanceOf[IntColumn](right))

  override def hash(position: Long): Int = Column.mix(apply(position).toLong)

  override protected def reorderValues(order: Array[Int], count: Int): Unit = {
    val next = new Array[Int](mask + 1)
    var i = 0
    while (i < count) {
      next(i) = values(order(i))
      i += 1
    }
    values = next
  }

  override protected def setValue(target: Long, source: Column, position: Long): Unit = {
    val value = source.asInstanceOf[IntColumn](position)
    values(slotToWrite(target)) = value
  }

  override protected def saveValue(slot: Int, out: DataOutput): Unit = out.writeInt(values(slot))

  override protected def restoreValue(slot: Int, in: DataInput): Unit = values(slot) = in.readInt()

  override protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit = {
    val bytes = ByteBuffer.allocate(4 * count)
    bytes.asIntBuffer().put(values, from, count)
    out.write(bytes.array)
  }

  override protected def readValues(from: Int, count: Int, in: DataInputStream): Unit =
    ByteBuffer.wrap(in.readNBytes(4 * count)).asIntBuffer().get(values, from, count): Unit

  override protected def newLike(): Column = new IntColumn(memory)

  override protected def width: Int = 4

  override protected def resize(capacity: Int, move: Column.ArrayCopy): Unit = {
    val next = new Array[Int](capacity)
    move(values, next)
    values = next
  }
}
