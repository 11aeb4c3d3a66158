package io.muntin.kernel.distinct

import java.io.{DataInput, DataOutput}
import java.util

import io.muntin.kernel.{Abilities, Accumulator, SavableState}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

/**
 * HyperLogLog over the hashes of a frame's rows: 2^p registers. The first p bits of a hash select
 * its register. Each register is the greatest rank of its hashes: the number of leading zeros, plus
 * one. Nulls are not counted.
 *
 * The estimate needs the sum of 2^-register over all registers, and the number of zero registers.
 * Both are computed from the number of registers of each rank: 64 counts for any p.
 *
 * Source: Flajolet et al., "HyperLogLog" (2007); Heule, Nunkesser and Hall, "HyperLogLog in
 * Practice" (2013).
 */
abstract class HyperLogLog(memory: Memory, hashes: LongColumn, p: Int) extends Accumulator {
  protected final val size: Int = 1 << p

  memory.acquire(4L * size)

  private val counts = new Array[Int](HyperLogLog.Ranks)
  // A register is set if its epoch equals `epoch`: clearing increments `epoch`.
  private val epochs = new Array[Int](size)
  private var epoch = 1
  private var changed = 0L

  counts(0) = size

  /** Returns the rank of a register; 0 if it is not set. */
  private[kernel] final def rankOr0(register: Int): Int =
    if (isSet(register)) rank(register) else 0

  /** A counter of changes: different after each change of a register. */
  final def changes: Long = changed

  final def zeros: Int = counts(0)

  /**
   * Returns the sum of 2^-register over all registers, bit for bit equal to adding them one by one.
   *
   * Each partial sum is a multiple of 2^-r, where r is the greatest rank, and is at most 2^p. If p
   * + r is at most 53, the bits of a double, nothing is rounded, and any order gives the same sum.
   * Otherwise (one hash in 2^44, with 512 registers) they are added one by one.
   */
  final def inverseSum: Double = {
    var greatest = HyperLogLog.Ranks - 1
    while (counts(greatest) == 0) greatest -= 1
    var sum = 0.0
    if (greatest + p <= HyperLogLog.ExactBits) {
      var r = 0
      while (r <= greatest) {
        sum += counts(r).toDouble / (1L << r)
        r += 1
      }
    } else {
      var register = 0
      while (register < size) {
        sum += 1.0 / (1L << (if (isSet(register)) rank(register) else 0))
        register += 1
      }
    }
    sum
  }

  /** Returns the rank of a register that is set. */
  protected def rank(register: Int): Int

  protected final def isSet(register: Int): Boolean = epochs(register) == epoch

  protected final def isNull(position: Long): Boolean = hashes.isNull(position)

  protected final def registerAt(position: Long): Int = (hashes(position) >>> (64 - p)).toInt

  protected final def rankAt(position: Long): Int =
    java.lang.Long.numberOfLeadingZeros((hashes(position) << p) | (1L << (p - 1))) + 1

  /** Changes a register from one rank to another; 0 is not a rank. */
  protected final def move(register: Int, from: Int, to: Int): Unit = if (from != to) {
    counts(from) -= 1
    counts(to) += 1
    epochs(register) = if (to == 0) 0 else epoch
    changed += 1
  }

  override def clear(): Unit = {
    util.Arrays.fill(counts, 0)
    counts(0) = size
    if (epoch == Int.MaxValue) {
      util.Arrays.fill(epochs, 0)
      epoch = 0
    }
    epoch += 1
    changed += 1
  }

  override def close(): Unit = memory.release(4L * size)
}

object HyperLogLog {
  private val Ranks = 64
  private val ExactBits = 53
}

/**
 * HyperLogLog for frames that only grow: the registers. Cost per row: one comparison; 5 bytes per
 * register. Guarded by HyperLogLogSuite.
 */
final class RunningHyperLogLog(memory: Memory, hashes: LongColumn, p: Int)
    extends HyperLogLog(memory, hashes, p)
    with SavableState {
  memory.acquire(size.toLong)

  private val ranks = new Array[Byte](size)

  override protected def rank(register: Int): Int = ranks(register).toInt

  override def takesAnyOrder: Boolean = true

  /** Writes only the registers that are set, if they are few; else all. */
  override def save(out: DataOutput): Unit = {
    val set = size - zeros
    val few = set < size / 5
    out.writeInt(if (few) set else size)
    var register = 0
    while (register < size) {
      if (!few) out.writeByte(rankOr0(register))
      else if (isSet(register)) {
        out.writeInt(register)
        out.writeByte(rank(register))
      }
      register += 1
    }
  }

  override def restore(in: DataInput): Unit = {
    clear()
    val count = in.readInt()
    var i = 0
    while (i < count) {
      val register = if (count == size) i else in.readInt()
      val saved = in.readByte()
      ranks(register) = saved
      move(register, 0, saved.toInt)
      i += 1
    }
  }

  override def enter(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val before = if (isSet(register)) rank(register) else 0
        val now = rankAt(position)
        if (now > before) {
          ranks(register) = now.toByte
          move(register, before, now)
        }
      }
      position += 1
    }
  }

  override def leave(from: Long, until: Long): Unit =
    throw new UnsupportedOperationException("rows do not leave a growing frame")

  override def close(): Unit = {
    super.close()
    memory.release(size.toLong)
  }
}

object RunningHyperLogLog {
  val abilities: Abilities = Abilities("HyperLogLog", saves = true, anyOrder = true)
}
