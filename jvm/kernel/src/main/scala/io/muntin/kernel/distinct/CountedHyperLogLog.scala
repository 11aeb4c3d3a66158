package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.{Column, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * HyperLogLog where rows leave in any order: the registers are those of the rows that are there, as
 * if nothing else had ever been.
 *
 * For each register the ranks that it has, as the bits of a long, of which the highest is the
 * register's rank; and in a table, by register and rank, how many rows have each of these.
 *
 * Cost per row: one look into the table; 16 bytes per register and 16 for each rank of a register
 * that some row has. Guarded by CountedHyperLogLogSuite.
 */
final class CountedHyperLogLog(memory: Memory, hashes: LongColumn, p: Int)
    extends HyperLogLog(memory, hashes, p) {
  memory.acquire(8L * size)

  // Of registers that are set.
  private val ranks = new Array[Long](size)
  private val counts = new KeyCounts(memory)

  override def anyOrder: Boolean = true

  override def readsFrame: Boolean = false

  override protected def rank(register: Int): Int = CountedHyperLogLog.highest(ranks(register))

  override def clear(): Unit = {
    super.clear()
    counts.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val now = rankAt(position)
        if (counts.add(key(register, now)) == 1L) {
          change(register, (if (isSet(register)) ranks(register) else 0L) | 1L << now)
        }
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
        if (counts.remove(key(register, gone)) == 0L) {
          change(register, ranks(register) & ~(1L << gone))
        }
      }
      position += 1
    }
  }

  private def key(register: Int, rank: Int): Int = register << CountedHyperLogLog.RankBits | rank

  private def change(register: Int, to: Long): Unit = {
    val before = if (isSet(register)) rank(register) else 0
    ranks(register) = to
    move(register, before, if (to == 0L) 0 else CountedHyperLogLog.highest(to))
  }

  override def close(): Unit = {
    super.close()
    counts.close()
    memory.release(8L * size)
  }
}

object CountedHyperLogLog {
  val abilities: Abilities = Abilities("HyperLogLog, counted ranks")

  private val RankBits = 6

  private def highest(bits: Long): Int = 63 - java.lang.Long.numberOfLeadingZeros(bits)
}

/**
 * How often each of some keys, none of them negative, is there: an open-addressing table, whose
 * entries move back when one is taken out. Guarded by CountedHyperLogLogSuite.
 */
private[kernel] final class KeyCounts(memory: Memory) {
  import KeyCounts._

  // A key + 1, or 0.
  private var keys = new Array[Int](InitialCapacity)
  private var counts = new Array[Long](InitialCapacity)
  private var used = 0

  memory.acquire(bytesOf(InitialCapacity))

  /** Once more; how often it is there now. */
  def add(key: Int): Long = {
    var at = found(key)
    if (keys(at) == 0) {
      if (2 * (used + 1) > keys.length) {
        grow()
        at = found(key)
      }
      keys(at) = key + 1
      counts(at) = 0L
      used += 1
    }
    counts(at) += 1
    counts(at)
  }

  /** Once less, of a key that is there; how often it is there still. */
  def remove(key: Int): Long = {
    val at = found(key)
    counts(at) -= 1
    val left = counts(at)
    if (left == 0L) takeOut(at)
    left
  }

  // Where the key is, or would be put.
  private def found(key: Int): Int = {
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
      // Into the hole goes what may not lie behind it: an entry whose home is not after the hole.
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
        val at = found(oldKeys(i) - 1)
        keys(at) = oldKeys(i)
        counts(at) = oldCounts(i)
      }
      i += 1
    }
    memory.release(bytesOf(oldKeys.length))
  }

  def clear(): Unit = {
    // What was large is made anew, small: the groups to come may all be small.
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
