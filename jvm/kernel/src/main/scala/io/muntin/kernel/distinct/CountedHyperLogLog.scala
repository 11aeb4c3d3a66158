package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.{Abilities, Followed, OrderInsensitive}
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * HyperLogLog for frames that rows leave, in any order: the registers depend only on the rows in
 * the frame.
 *
 * For each register and rank it counts the rows: in an array for the four lowest ranks, which
 * fifteen of sixteen rows have, and in a table for the other ranks. For each register, a long has
 * one bit per rank. The highest bit is the register's rank:
 *
 *     rows of register 7 with the ranks       1  1  3  6
 *     in the array, from 4 * 7                2  0  1  0
 *     in the table                            register 7, rank 6: 1
 *     ranks(7)                                bits 1, 3 and 6
 *
 * Cost per row: one count; 28 bytes per register and 24 to 48 for each register and higher rank
 * that a row has. Guarded by CountedHyperLogLogSuite.
 */
final class CountedHyperLogLog(memory: Memory, hashes: LongColumn, p: Int)
    extends HyperLogLog(memory, hashes, p)
    with OrderInsensitive
    with Followed {
  import CountedHyperLogLog._

  memory.acquire(BytesPerRegister * size)

  // Valid for registers that are set.
  private val ranks = new Array[Long](size)
  private val low = new Array[Int](size * LowRanks)
  private val high = new KeyCounts(memory)

  override protected def rank(register: Int): Int = highest(ranks(register))

  override def clear(): Unit = {
    super.clear()
    high.clear()
  }

  // Rows after all others are counted like any row.
  override def follow(from: Long, until: Long): Unit = enter(from, until)

  override def enter(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val now = rankAt(position)
        if (!isSet(register)) forget(register)
        if (add(register, now) == 1L) change(register, ranks(register) | 1L << now)
      }
      position += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val gone = rankAt(position)
        if (remove(register, gone) == 0L) change(register, ranks(register) & ~(1L << gone))
      }
      position += 1
    }
  }

  /** Clears a register, whose entries are of rows before `clear`. */
  private def forget(register: Int): Unit = {
    ranks(register) = 0L
    util.Arrays.fill(low, LowRanks * register, LowRanks * (register + 1), 0)
  }

  private def add(register: Int, rank: Int): Long =
    if (rank <= LowRanks) {
      val at = LowRanks * register + rank - 1
      low(at) += 1
      low(at).toLong
    } else high.add(key(register, rank))

  private def remove(register: Int, rank: Int): Long =
    if (rank <= LowRanks) {
      val at = LowRanks * register + rank - 1
      low(at) -= 1
      low(at).toLong
    } else high.remove(key(register, rank))

  private def key(register: Int, rank: Int): Int = register << RankBits | rank

  private def change(register: Int, to: Long): Unit = {
    val before = ranks(register)
    ranks(register) = to
    move(register, highest(before), highest(to))
  }

  override def close(): Unit = {
    super.close()
    high.close()
    memory.release(BytesPerRegister * size)
  }
}

object CountedHyperLogLog {
  val abilities: Abilities = Abilities("HyperLogLog, counted ranks", follows = true)

  private val LowRanks = 4
  private val BytesPerRegister = 8L + 4L * LowRanks
  private val RankBits = 6

  /** Returns 0 if no rank is set: ranks start at 1. */
  private def highest(ranks: Long): Int =
    63 - java.lang.Long.numberOfLeadingZeros(ranks | 1L)
}

/**
 * Counts non-negative keys in an open-addressing table. When an entry is removed, later entries
 * move back. Guarded by CountedHyperLogLogSuite.
 */
private[kernel] final class KeyCounts(memory: Memory) {
  import KeyCounts._

  // A key + 1, or 0.
  private var keys = new Array[Int](InitialCapacity)
  private var counts = new Array[Long](InitialCapacity)
  private var used = 0

  memory.acquire(bytesOf(InitialCapacity))

  /** Increments the count of a key, and returns it. */
  def add(key: Int): Long = {
    var at = slotOf(key)
    if (keys(at) == 0) {
      if (2 * (used + 1) > keys.length) {
        grow()
        at = slotOf(key)
      }
      keys(at) = key + 1
      counts(at) = 0L
      used += 1
    }
    counts(at) += 1
    counts(at)
  }

  /** Decrements the count of an existing key, and returns it. */
  def remove(key: Int): Long = {
    val at = slotOf(key)
    counts(at) -= 1
    val left = counts(at)
    if (left == 0L) takeOut(at)
    left
  }

  // Returns the slot of the key, or the slot to insert it.
  private def slotOf(key: Int): Int = {
    val mask = keys.length - 1
    var at = home(key + 1, mask)
    while (keys(at) != 0 && keys(at) != key + 1) at = (at + 1) & mask
    at
  }

  private def takeOut(index: Int): Unit = {
    val mask = keys.length - 1
    var hole = index
    var at = (hole + 1) & mask
    while (keys(at) != 0) {
      // Moves an entry into the hole if the entry's home slot is not after the hole.
      if (((at - home(keys(at), mask)) & mask) >= ((at - hole) & mask)) {
        keys(hole) = keys(at)
        counts(hole) = counts(at)
        hole = at
      }
      at = (at + 1) & mask
    }
    keys(hole) = 0
    used -= 1
  }

  private def grow(): Unit = {
    val capacity = keys.length * 2
    memory.acquire(bytesOf(capacity))
    val (oldKeys, oldCounts) = (keys, counts)
    keys = new Array[Int](capacity)
    counts = new Array[Long](capacity)
    var i = 0
    while (i < oldKeys.length) {
      if (oldKeys(i) != 0) {
        val at = slotOf(oldKeys(i) - 1)
        keys(at) = oldKeys(i)
        counts(at) = oldCounts(i)
      }
      i += 1
    }
    memory.release(bytesOf(oldKeys.length))
  }

  def clear(): Unit = {
    // Large structures are replaced by small ones: later groups may all be small.
    if (keys.length > InitialCapacity) {
      memory.release(bytesOf(keys.length) - bytesOf(InitialCapacity))
      keys = new Array[Int](InitialCapacity)
      counts = new Array[Long](InitialCapacity)
    } else util.Arrays.fill(keys, 0)
    used = 0
  }

  def close(): Unit = memory.release(bytesOf(keys.length))
}

private object KeyCounts {
  private val InitialCapacity = 64

  private def home(entry: Int, mask: Int): Int = Column.mix(entry.toLong) & mask

  private def bytesOf(capacity: Int): Long = 12L * capacity
}
