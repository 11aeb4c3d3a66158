package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}
import java.util

import io.muntin.kernel.memory.{Memory, SteppedMemory}

/**
 * Values of all other types. The column owns the appended values (the caller copies them). `traits`
 * compares values and returns their bytes. The column requests bytes from `memory` in steps.
 */
final class ObjectColumn(
    memory: Memory,
    nullable: Boolean,
    traits: ObjectColumn.Traits
) extends Column(memory, nullable) {
  private var values = new Array[AnyRef](Column.InitialCapacity)
  private val bytes = new SteppedMemory(memory)

  def append(value: AnyRef): Unit = {
    // First: if memory is refused here, no bytes have been acquired for the value.
    ensureRoom()
    val size = traits.sizeOf(value)
    var isTaken = bytes.tryAcquire(size)
    while (!isTaken)
      isTaken = if (evictPage()) bytes.tryAcquire(size) else take(size, insists = true)
    val s = nextSlot()
    values(s) = value
  }

  def apply(position: Long): AnyRef = values(slot(position))

  override def compare(left: Long, right: Long): Int = traits.compare(apply(left), apply(right))

  override def compareTo(left: Long, other: Column, right: Long): Int =
    traits.compare(apply(left), other.asInstanceOf[ObjectColumn](right))

  override def hash(position: Long): Int = traits.hash(apply(position))

  override protected def reorderValues(order: Array[Int], count: Int): Unit = {
    val next = new Array[AnyRef](mask + 1)
    var i = 0
    while (i < count) {
      next(i) = values(order(i))
      i += 1
    }
    values = next
  }

  override protected def setValue(target: Long, source: Column, position: Long): Unit = {
    val value = source.asInstanceOf[ObjectColumn](position)
    val size = traits.sizeOf(value)
    bytes.acquire(size)
    val s =
      try slotToWrite(target)
      catch {
        case e: Throwable =>
          bytes.release(size)
          throw e
      }
    dropValue(s)
    values(s) = value
  }

  override protected def saveValue(slot: Int, out: DataOutput): Unit =
    traits.save(values(slot), out)

  override protected def restoreValue(slot: Int, in: DataInput): Unit = {
    val value = traits.restore(in)
    bytes.acquire(traits.sizeOf(value))
    dropValue(slot)
    values(slot) = value
  }

  override protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit = {
    var s = from
    while (s < from + count) {
      out.writeBoolean(values(s) != null)
      if (values(s) != null) traits.save(values(s), out)
      s += 1
    }
  }

  override protected def readValues(from: Int, count: Int, in: DataInputStream): Unit = {
    var s = from
    while (s < from + count) {
      if (in.readBoolean()) values(s) = traits.restore(in)
      s += 1
    }
  }

  override private[kernel] def vacate(from: Int, count: Int): Unit = {
    var s = from
    while (s < from + count) {
      dropValue(s)
      s += 1
    }
    bytes.trim()
  }

  override private[kernel] def weigh(from: Int, count: Int): Long = {
    var sum = 0L
    var s = from
    while (s < from + count) {
      if (values(s) != null) sum += traits.sizeOf(values(s))
      s += 1
    }
    sum
  }

  override private[kernel] def take(size: Long, insists: Boolean): Boolean =
    bytes.tryAcquire(size) || insists && {
      bytes.acquire(size)
      true
    }

  override protected def newLike(): Column = new ObjectColumn(memory, true, traits)

  override protected def width: Int = 8

  override protected def resize(capacity: Int, move: Column.ArrayCopy): Unit = {
    val next = new Array[AnyRef](capacity)
    move(values, next)
    values = next
  }

  override protected def dropValue(slot: Int): Unit =
    if (values(slot) != null) {
      val size = traits.sizeOf(values(slot))
      values(slot) = null
      bytes.release(size)
    }

  override protected def dropped(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      dropValue(slot(p))
      p += 1
    }
  }
}

object ObjectColumn {

  /** The operations of a column on its values. */
  abstract class Traits extends util.Comparator[AnyRef] {

    /** Returns equal hashes for values that compare as equal. */
    def hash(value: AnyRef): Int

    /** Returns the bytes that a value takes. */
    def sizeOf(value: AnyRef): Long

    /** Writes a value for `restore`, if a stream keeps values of this type in cells. */
    def save(value: AnyRef, out: DataOutput): Unit = throw unsaved

    def restore(in: DataInput): AnyRef = throw unsaved

    private def unsaved = new UnsupportedOperationException("values of this type cannot be saved")
  }
}
