package io.muntin.kernel.sums

import io.muntin.kernel.columns.LongColumn
import io.muntin.kernel.sums.ChunkSum.FloatingPoint

/**
 * Exact sums over the same rows, of doubles and of products of doubles, which are read together.
 *
 * The windows of the sums are aligned before a read: if the sum of x begins with chunk c, the sum
 * of x^2 begins with chunk 2 c, the sum of x^3 with 3 c, and the sum of x y with c plus the first
 * chunk of y. So the sums are integers in units of u, u^2, and so on, and can be combined.
 *
 * Guarded by the suites of PowerSums, PairSums and SumBytes.
 */
abstract class JointSums private[sums] (powers: Seq[Int], room: Int) {
  private[kernel] final val kinds: Seq[ChunkSum.Kind] = powers.map(FloatingPoint(_))
  protected final val sums: Array[ChunkSum] = kinds.map(ChunkSum(_, room)).toArray
  protected final var rows = 0L
  private var isAligned = false
  private var untilCarry = room
  protected final val term = new Limbs
  protected final val total = new Limbs
  protected final val numerator = new DoubleDouble
  protected final val denominator = new DoubleDouble

  /** Returns the number of rows. */
  final def count: Long = rows

  /** Aligns the windows, and forgets the cached determinants. */
  protected def align(): Unit

  /** Returns the lesser of `before` and the chunk with which the power 1 of a sum begins. */
  protected final def least(before: Int, sum: ChunkSum, power: Int): Int =
    if (sum.size != 0 && sum.base < power * before) sum.base / power else before

  /**
   * Sets the numerator to `find(d)` over the count and over `divisor`, in units of 2^(d.exponent).
   */
  protected final def divide(d: Determinant, divisor: Long): Unit = {
    // Aligns the windows first: if rows have changed, cached quotients are invalid.
    find(d): Unit
    numerator.set(d.over(rows, divisor))
  }

  protected final def find(d: Determinant): Limbs = {
    if (!isAligned) {
      if (sums(0).isDue) sums.foreach(_.normalize())
      align()
      isAligned = true
    }
    d.find(rows)
  }

  /** Call it when a row has been added or removed. */
  protected final def changed(by: Long): Unit = {
    rows += by
    isAligned = false
    untilCarry -= 1
    if (untilCarry == 0) {
      sums.foreach(_.carry())
      untilCarry = room
    }
  }

  def clear(): Unit = {
    var i = 0
    while (i < sums.length) {
      sums(i).clear()
      i += 1
    }
    changed(-rows)
  }

  /** Copies the `i`-th sum to `target`. */
  final def keep(i: Int, target: ChunkSum): Unit = {
    target.copyFrom(sums(i))
    changed(0L)
  }

  /**
   * Restores `count` rows with their saved sums. `saved` may have more sums than this object, which
   * uses the first of them.
   */
  def restore(count: Long, saved: Array[ChunkSum]): Unit = {
    var i = 0
    while (i < sums.length) {
      sums(i).copyFrom(saved(i))
      i += 1
    }
    changed(count - rows)
  }

  private[kernel] def write(to: LongColumn): Unit = {
    to.append(rows)
    sums.foreach(_.write(to))
    changed(0L)
  }

  private[kernel] def read(written: LongColumn, at: Long): Unit = {
    clear()
    change(written, at, 0L)
  }

  private[kernel] def take(written: LongColumn, at: Long): Unit = change(written, at, -1L)

  private def change(written: LongColumn, at: Long, direction: Long): Unit = {
    var next = at + 1L
    var i = 0
    while (i < sums.length) {
      next = sums(i).change(written, next, direction)
      i += 1
    }
    changed((written(at) ^ direction) - direction)
  }
}

private[sums] object JointSums {

  /** Above every chunk of doubles. */
  final val None = 1 << 20
}
