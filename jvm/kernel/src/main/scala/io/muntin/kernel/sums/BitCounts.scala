package io.muntin.kernel.sums

import java.util

import io.muntin.kernel.Abilities
import io.muntin.kernel.columns.LongColumn

/**
 * bit_and and bit_or of values that are not null and come and go in any order: how many of them
 * have each bit set, or for the and, have it not set.
 *
 * The 64 counts are kept as binary digits, one digit of all counts in a long; a value is added to
 * them, or taken away, as far as it carries.
 *
 * Cost per row: two digits, on average; never more than there are digits. Guarded by
 * BitCountsSuite.
 */
final class BitCounts(column: LongColumn, and: Boolean) extends MergedBits {
  private val flip = if (and) -1L else 0L
  private val digits = new Array[Long](BitCounts.Digits)
  private var present = 0L

  override def count: Long = present

  override def value: Long = {
    var set = 0L
    var i = 0
    while (i < digits.length) {
      set |= digits(i)
      i += 1
    }
    set ^ flip
  }

  override def anyOrder: Boolean = true

  override def readsFrame: Boolean = false

  override def clear(): Unit = {
    util.Arrays.fill(digits, 0L)
    present = 0L
  }

  override def enter(from: Long, until: Long): Unit = {
    var p = from
    while (p < until) {
      if (!column.isNull(p)) {
        var carry = column(p) ^ flip
        var i = 0
        while (carry != 0L) {
          val before = digits(i)
          digits(i) = before ^ carry
          carry &= before
          i += 1
        }
        present += 1
      }
      p += 1
    }
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
  val abilities: Abilities = Abilities("counts of bits")

  // More rows than a column can hold.
  private val Digits = 32
}
