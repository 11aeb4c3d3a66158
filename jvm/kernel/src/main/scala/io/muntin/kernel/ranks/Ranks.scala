package io.muntin.kernel.ranks

import io.muntin.kernel.{Abilities, Accumulator, OrderInsensitive}
import io.muntin.kernel.columns.{Column, DoubleColumn, LongColumn}
import io.muntin.kernel.memory.Memory

/**
 * The values in a frame by rank: medians, percentiles. Nulls are skipped.
 *
 * Longs, and doubles as longs with the same order, are copied into sorted blocks when a row enters,
 * and found by value when it leaves. For other values, the sorted blocks hold positions: in the
 * column, or in separate cells if a frame only grows and the column forgets its rows.
 *
 * Cost per row: SortedBlocks' cost; 8 to 32 bytes for each value in the frame. Guarded by
 * RanksSuite.
 */
abstract class Ranks extends Accumulator {
  protected def sorted: SortedBlocks

  /** Returns the number of non-null values. */
  final def count: Long = sorted.size

  override def clear(): Unit = sorted.clear()

  override def close(): Unit = sorted.close()

  protected final def checkLeft(found: Boolean): Unit =
    if (!found) throw new IllegalStateException("the value that leaves has not entered")
}

object Ranks {
  val abilities: Abilities = Abilities("sorted blocks")

  def apply(memory: Memory, column: Column, evicts: Boolean): Ranks = {
    val blockSize = SortedBlocks.BlockSize
    column match {
      case longs: LongColumn => new LongRanks(memory, longs, blockSize)
      case doubles: DoubleColumn => new DoubleRanks(memory, doubles, blockSize)
      case other => new PositionRanks(memory, other, evicts, blockSize)
    }
  }
}

/** When a row leaves, any of the equal values is removed. */
final class LongRanks(memory: Memory, column: LongColumn, blockSize: Int) extends Ranks
    with OrderInsensitive {
  override protected val sorted: SortedKeys = new SortedKeys(memory, blockSize)

  /** Returns the value at this rank, from 0. */
  def apply(rank: Long): Long = sorted(rank)

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) sorted.add(column(p))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) checkLeft(sorted.remove(column(p)))
      p += 1
    }
  }
}

/**
 * -0.0 is before 0.0, and all NaNs are one value after all others. When a row leaves, any of the
 * equal values is removed; the two zeros are equal.
 */
final class DoubleRanks(memory: Memory, column: DoubleColumn, blockSize: Int) extends Ranks
    with OrderInsensitive {
  import DoubleRanks._

  override protected val sorted: SortedKeys = new SortedKeys(memory, blockSize)

  /** Returns the value at this rank, from 0. */
  def apply(rank: Long): Double = value(sorted(rank))

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) sorted.add(key(column(p)))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        val value = column(p)
        checkLeft(sorted.remove(key(value)) || (value == 0.0 && sorted.remove(key(-value))))
      }
      p += 1
    }
  }
}

object DoubleRanks {

  /**
   * Returns a long that sorts like the double: below zero, the greater the magnitude, the less the
   * long.
   */
  def key(value: Double): Long = flip(java.lang.Double.doubleToLongBits(value))

  def value(key: Long): Double = java.lang.Double.longBitsToDouble(flip(key))

  private def flip(bits: Long): Long = bits ^ ((bits >> 63) & Long.MaxValue)
}

/** Values other than longs. `values` is the column if rows leave, else separate cells. */
final class PositionRanks(memory: Memory, column: Column, evicts: Boolean, blockSize: Int)
    extends Ranks {
  val values: Column = if (evicts) column else column.cells(0)
  column.staysInMemory()

  override protected val sorted: SortedPositions = new SortedPositions(memory, values, blockSize)

  /**
   * Returns the position in `values` of the value at this rank, from 0; equal values are in order.
   */
  def apply(rank: Long): Long = sorted(rank)

  override def anyOrder: Boolean = evicts

  override def clear(): Unit = {
    super.clear()
    if (!evicts) values.clear()
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) sorted.add(if (evicts) p else copied(p))
      p += 1
    }
  }

  override def leave(from: Long, until: Long): Unit = {
    if (!evicts) throw new UnsupportedOperationException("rows do not leave a growing frame")
    var p = from
    while (p < until) {
      if (!column.isNull(p)) checkLeft(sorted.remove(p))
      p += 1
    }
  }

  private def copied(position: Long): Long = {
    val cell = values.size
    values.appendNull()
    values.set(cell, column, position)
    cell
  }

  override def close(): Unit = {
    super.close()
    if (!evicts) values.close()
  }
}
