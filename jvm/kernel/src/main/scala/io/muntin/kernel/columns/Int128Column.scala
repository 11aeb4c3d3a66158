package io.muntin.kernel.columns

import java.io.{DataInput, DataInputStream, DataOutput, DataOutputStream}
import java.math.BigInteger
import java.nio.ByteBuffer

import io.muntin.kernel.memory.Memory

/** Decimals of more than 18 digits: 128-bit unscaled values. */
final class Int128Column(memory: Memory, nullable: Boolean) extends Column(memory, nullable) {
  private var highs = new Array[Long](Column.InitialCapacity)
  private var lows = new Array[Long](Column.InitialCapacity)

  def append(high: Long, low: Long): Unit = {
    val s = nextSlot()
    highs(s) = high
    lows(s) = low
  }

  def high(position: Long): Long = highs(slot(position))

  def low(position: Long): Long = lows(slot(position))

  override def compare(left: Long, right: Long): Int =
    Int128Column.compare(high(left), low(left), high(right), low(right))

  override def compareTo(left: Long, other: Column, right: Long): Int = {
    val that = other.asInstanceOf[Int128Column]
    Int128Column.compare(high(left), low(left), that.high(right), that.low(right))
  }

  override def hash(position: Long): Int = Column.mix(high(position) * 31 + low(position))

  override protected def reorderValues(order: Array[Int], count: Int): Unit = {
    val nextHighs = new Array[Long](mask + 1)
    val nextLows = new Array[Long](mask + 1)
    var i = 0
    while (i < count) {
      nextHighs(i) = highs(order(i))
      nextLows(i) = lows(order(i))
      i += 1
    }
    highs = nextHighs
    lows = nextLows
  }

  override protected def setValue(target: Long, source: Column, position: Long): Unit = {
    val that = source.asInstanceOf[Int128Column]
    val high = that.high(position)
    val low = that.low(position)
    val s = slotToWrite(target)
    highs(s) = high
    lows(s) = low
  }

  override protected def saveValue(slot: Int, out: DataOutput): Unit = {
    out.writeLong(highs(slot))
    out.writeLong(lows(slot))
  }

  override protected def restoreValue(slot: Int, in: DataInput): Unit = {
    highs(slot) = in.readLong()
    lows(slot) = in.readLong()
  }

  override protected def writeValues(from: Int, count: Int, out: DataOutputStream): Unit = {
    val bytes = ByteBuffer.allocate(16 * count)
    bytes.asLongBuffer().put(highs, from, count).put(lows, from, count)
    out.write(bytes.array)
  }

  override protected def readValues(from: Int, count: Int, in: DataInputStream): Unit =
    ByteBuffer
      .wrap(in.readNBytes(16 * count))
      .asLongBuffer()
      .get(highs, from, count)
      .get(lows, from, count): Unit

  override protected def newLike(): Column = new Int128Column(memory, true)

  override protected def width: Int = 16

  override protected def resize(capacity: Int, move: Column.ArrayCopy): Unit = {
    val nextHighs = new Array[Long](capacity)
    val nextLows = new Array[Long](capacity)
    move(highs, nextHighs)
    move(lows, nextLows)
    highs = nextHighs
    lows = nextLows
  }
}

object Int128Column {
  def compare(leftHigh: Long, leftLow: Long, rightHigh: Long, rightLow: Long): Int = {
    val c = java.lang.Long.compare(leftHigh, rightHigh)
    if (c != 0) c else java.lang.Long.compareUnsigned(leftLow, rightLow)
  }

  /** Returns the value of an unsigned word, such as a low word. */
  def unsigned(word: Long): BigInteger = {
    val value = BigInteger.valueOf(word)
    if (word < 0L) value.add(Word) else value
  }

  private val Word = BigInteger.ONE.shiftLeft(64)
}
