package io.muntin.kernel.distinct

import java.util

import io.muntin.kernel.{Abilities, Followed}
import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.memory.Memory

/**
 * HyperLogLog where rows leave: the registers are those of the rows in the frame, as if nothing
 * else had ever been there.
 *
 * A row can become the greatest of its register only while no later row of the register has its
 * rank or a greater one. These rows are a list for each register, of falling ranks and rising
 * positions, at most one for each of 64 - p + 1 ranks: the oldest is the register's rank; a row
 * that enters takes away from the end whatever is no greater; a row that leaves is the oldest in
 * its list, or in none. Of rows behind all others, which never leave, the greatest rank is kept:
 * rows that are no greater are in no list.
 *
 * Cost per row: constant, amortised; 12 bytes per register, 13 where there are rows behind all
 * others, and 16 for each row that is in a list. Source: Chabchoub and Hebrail, "Sliding
 * HyperLogLog" (2010), whose lists of possible future maxima these are. Guarded by
 * HyperLogLogSuite.
 */
final class SlidingHyperLogLog(memory: Memory, hashes: LongColumn, p: Int)
    extends HyperLogLog(memory, hashes, p)
    with Followed {
  import SlidingHyperLogLog._

  memory.acquire(8L * size + BytesPerRow * InitialCapacity)

  // The oldest and the newest row in a register's list, where the register is set.
  private val oldest = new Array[Int](size)
  private val newest = new Array[Int](size)
  // Rows in lists: position and rank in one, and their neighbours; unused ones are linked by
  // `newer`.
  private var rows = new Array[Long](InitialCapacity)
  private var older = new Array[Int](InitialCapacity)
  private var newer = new Array[Int](InitialCapacity)
  private var unused = None
  private var made = 0
  // By register, of the rows behind all others: there once there have been such.
  private var behind: Array[Byte] = _

  override protected def rank(register: Int): Int =
    if (isListed(register)) rankOf(oldest(register)) else behind(register).toInt

  /** Whether there are rows in the register's list. */
  private def isListed(register: Int): Boolean = isSet(register) && oldest(register) != None

  private def rankBehind(register: Int): Int = if (behind == null) 0 else behind(register).toInt

  override def follow(from: Long, until: Long): Unit = {
    if (behind == null) {
      memory.acquire(size.toLong)
      behind = new Array[Byte](size)
    }
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val before = behind(register).toInt
        val now = rankAt(position)
        if (now > before) {
          behind(register) = now.toByte
          oldest(register) = None
          move(register, before, now)
        }
      }
      position += 1
    }
  }

  override def clear(): Unit = {
    super.clear()
    if (behind != null) util.Arrays.fill(behind, 0.toByte)
    unused = None
    made = 0
  }

  override def enter(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) {
        val register = registerAt(position)
        val now = rankAt(position)
        if (now > rankBehind(register)) append(register, position, now)
      }
      position += 1
    }
  }

  private def append(register: Int, position: Long, now: Int): Unit = {
    // First: it may be refused.
    val row = take()
    rows(row) = position << RankBits | now
    newer(row) = None
    val before = if (isSet(register)) rank(register) else 0
    var last = if (isListed(register)) newest(register) else None
    while (last != None && rankOf(last) <= now) {
      val next = older(last)
      give(last)
      last = next
    }
    older(row) = last
    if (last == None) oldest(register) = row else newer(last) = row
    newest(register) = row
    move(register, before, math.max(before, now))
  }

  override def leave(from: Long, until: Long): Unit = {
    var position = from
    while (position < until) {
      if (!isNull(position)) remove(registerAt(position), position)
      position += 1
    }
  }

  private def remove(register: Int, position: Long): Unit = {
    val row = oldest(register)
    if (isListed(register) && rows(row) >>> RankBits == position) {
      val next = newer(row)
      val before = rankOf(row)
      give(row)
      if (next != None) older(next) = None
      oldest(register) = next
      move(register, before, if (next == None) rankBehind(register) else rankOf(next))
    }
  }

  private def rankOf(row: Int): Int = (rows(row) & RankMask).toInt

  private def give(row: Int): Unit = {
    newer(row) = unused
    unused = row
  }

  private def take(): Int =
    if (unused != None) {
      val row = unused
      unused = newer(row)
      row
    } else {
      if (made == rows.length) grow()
      made += 1
      made - 1
    }

  private def grow(): Unit = {
    val capacity = rows.length * 2
    memory.acquire(BytesPerRow * capacity)
    memory.release(BytesPerRow * rows.length)
    rows = util.Arrays.copyOf(rows, capacity)
    older = util.Arrays.copyOf(older, capacity)
    newer = util.Arrays.copyOf(newer, capacity)
  }

  override def close(): Unit = {
    super.close()
    memory.release(8L * size + BytesPerRow * rows.length)
    if (behind != null) memory.release(size.toLong)
  }
}

object SlidingHyperLogLog {
  val abilities: Abilities = Abilities("sliding HyperLogLog", follows = true)

  private val InitialCapacity = 64
  private val BytesPerRow = 16L
  private val RankBits = 6
  private val RankMask = (1L << RankBits) - 1
  private val None = -1
}
