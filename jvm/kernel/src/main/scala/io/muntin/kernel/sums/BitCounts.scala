package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.util

import io.muntin.kernel.{Abilities, OrderInsensitive, SavableState}
import io.muntin.kernel.columns.LongColumn

/**
 * bit_and and bit_or of non-null values that enter and leave in any order: for each bit, the number
 * of values with the bit set, or for bit_and, not set.
 *
 * The 64 counts are stored as binary digits: each long has one digit of all counts. A value is
 * added or subtracted digit by digit, until there is no carry. An example of bit_or:
 *
 *     values     0110  0100  0101
 *     digits(0)  0011                an odd number has these bits set
 *     digits(1)  0100                two or three have this bit set
 *     value      0111                some have these bits set
 *
 * If no row leaves, nothing is counted: a single digit is the value.
 *
 * Cost per row: about six digits, the longest carry of 64 counts; at most all digits. Guarded by
 * BitCountsSuite.
 */
final class BitCounts(column: LongColumn, and: Boolean, evicts: Boolean) extends MergedBits
    with OrderInsensitive
    with SavableState {
  private val flip = if (and) -1L else 0L
  private val digits = new Array[Long](if (evicts) BitCounts.Digits else 1)
  // All later digits are zero.
  private var used = 0
  private var present = 0L

  override def count: Long = present

  override def value: Long = {
    var set = 0L
    var i = 0
    while (i < used) {
      set |= digits(i)
      i += 1
    }
    set ^ flip
  }

  override def save(out: DataOutput): Unit = {
    out.writeLong(value)
    out.writeLong(present)
  }

  // As if a single row had all the bits: no row leaves a restored state.
  override def restore(in: DataInput): Unit = {
    clear()
    digits(0) = in.readLong() ^ flip
    used = 1
    present = in.readLong()
  }

  override def clear(): Unit = {
    util.Arrays.fill(digits, 0L)
    used = 0
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        val bits = column(p) ^ flip
        if (evicts) add(bits)
        else {
          digits(0) |= bits
          used = 1
        }
        present += 1
      }
      p += 1
    }
  }

  private def add(bits: Long): Unit = {
    var carry = bits
    var i = 0
    while (carry != 0L) {
      val before = digits(i)
      digits(i) = before ^ carry
      carry &= before
      i += 1
    }
    if (i > used) used = i
  }

  override def leave(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        var borrow = column(p) ^ flip
        var i = 0
        while (borrow != 0L) {
          val after = digits(i) ^ borrow
          digits(i) = after
          borrow &= after
          i += 1
        }
        present -= 1
      }
      p += 1
    }
  }
}

object BitCounts {
  val abilities: Abilities =
    Abilities("counts of bits", saves = true, anyOrder = true, follows = true)

  // Enough for more rows than a column can hold.
  private val Digits = 32
}
