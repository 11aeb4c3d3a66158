package io.muntin.kernel.sums

import java.math.BigInteger
import java.util

import io.muntin.kernel.columns.Int128Column

/**
 * A mutable big integer: sign and magnitude, in words of 64 bits, lowest first. The final
 * computation of moments is exact, so cancellation loses no digits. For typical data the numbers
 * are two to six words long, and nothing is allocated.
 *
 * Cost: a nanosecond or two per word added, or per pair of words multiplied. Guarded by LimbsSuite.
 */
private[kernel] final class Limbs {
  import Limbs._

  private var words = new Array[Long](InitialCapacity)
  private var size = 0
  private var negative = false

  def isZero: Boolean = size == 0

  def isNegative: Boolean = negative

  def setZero(): Unit = {
    size = 0
    negative = false
  }

  /** Sets it to the sum of `chunks(from + i) * 2^(32 i)` for i in [0, count); `count` is even. */
  def load(chunks: Array[Long], from: Int, count: Int): Unit = {
    size = count >> 1
    reserve(size + 1)
    var carry = 0L
    var i = 0
    var at = from
    while (i < size) {
      val even = chunks(at) + carry
      val odd = chunks(at + 1) + (even >> 32)
      words(i) = (even & Low) | (odd << 32)
      carry = odd >> 32
      at += 2
      i += 1
    }
    words(size) = carry
    size += 1
    negative = carry < 0L
    if (negative) negateWords()
    trim()
  }

  /** Like `load` of six chunks, whose sum has less than 192 bits. */
  def loadShort(chunks: Array[Long], at: Int): Unit = {
    val t0 = chunks(at)
    val t1 = chunks(at + 1) + (t0 >> 32)
    val t2 = chunks(at + 2) + (t1 >> 32)
    val t3 = chunks(at + 3) + (t2 >> 32)
    val t4 = chunks(at + 4) + (t3 >> 32)
    val t5 = chunks(at + 5) + (t4 >> 32)
    val sign = t5 >> 63
    val a0 = ((t0 & Low) | (t1 << 32)) ^ sign
    val a1 = ((t2 & Low) | (t3 << 32)) ^ sign
    val a2 = ((t4 & Low) | (t5 << 32)) ^ sign
    val w0 = a0 - sign
    val w1 = a1 + carryOf(a0, -sign, w0)
    words(0) = w0
    words(1) = w1
    words(2) = a2 + carryOf(a1, carryOf(a0, -sign, w0), w1)
    size = 3
    negative = sign < 0L
    trim()
  }

  /**
   * Sets it to n p - a b, where p is the sum of the twelve chunks at `at`, a and b were set by
   * `loadShort`, and the result has less than 383 bits. This determinant is the basis of every
   * second moment, and is computed without loops or branches.
   */
  def setDeterminant(n: Long, chunks: Array[Long], at: Int, a: Limbs, b: Limbs): Unit = {
    // a b in q0 to q5.
    val a0 = a.words(0)
    val a1 = a.words(1)
    val b0 = b.words(0)
    val b1 = b.words(1)
    var q0 = 0L
    var q1 = 0L
    var q2 = 0L
    var q3 = 0L
    var q4 = 0L
    var q5 = 0L
    if ((a.words(2) | b.words(2)) == 0L) {
      val low = Rounding.multiplyHigh(a0, b0)
      val x = a0 * b1
      val xHigh = Rounding.multiplyHigh(a0, b1)
      val y = a1 * b0
      val yHigh = Rounding.multiplyHigh(a1, b0)
      val z = a1 * b1
      q0 = a0 * b0
      val xSum = low + x
      q1 = xSum + y
      val carry1 = carryOf(low, x, xSum) + carryOf(xSum, y, q1)
      val highs = xHigh + yHigh
      val zSum = highs + z
      q2 = zSum + carry1
      q3 = Rounding.multiplyHigh(a1, b1) + carryOf(xHigh, yHigh, highs) +
        carryOf(highs, z, zSum) + carryOf(zSum, carry1, q2)
    } else {
      multiply(a.words, 3, b.words, 3)
      q0 = words(0)
      q1 = words(1)
      q2 = words(2)
      q3 = words(3)
      q4 = words(4)
      q5 = words(5)
    }
    // p in p0 to p5, two's complement; n p in r0 to r5.
    val t0 = chunks(at)
    val t1 = chunks(at + 1) + (t0 >> 32)
    val t2 = chunks(at + 2) + (t1 >> 32)
    val t3 = chunks(at + 3) + (t2 >> 32)
    val t4 = chunks(at + 4) + (t3 >> 32)
    val t5 = chunks(at + 5) + (t4 >> 32)
    val t6 = chunks(at + 6) + (t5 >> 32)
    val t7 = chunks(at + 7) + (t6 >> 32)
    val t8 = chunks(at + 8) + (t7 >> 32)
    val t9 = chunks(at + 9) + (t8 >> 32)
    val t10 = chunks(at + 10) + (t9 >> 32)
    val t11 = chunks(at + 11) + (t10 >> 32)
    val p0 = (t0 & Low) | (t1 << 32)
    val p1 = (t2 & Low) | (t3 << 32)
    val p2 = (t4 & Low) | (t5 << 32)
    val p3 = (t6 & Low) | (t7 << 32)
    val p4 = (t8 & Low) | (t9 << 32)
    val p5 = (t10 & Low) | (t11 << 32)
    val r0 = p0 * n
    val h0 = highTimes(p0, n)
    val l1 = p1 * n
    val r1 = l1 + h0
    val h1 = highTimes(p1, n) + carryOf(l1, h0, r1)
    val l2 = p2 * n
    val r2 = l2 + h1
    val h2 = highTimes(p2, n) + carryOf(l2, h1, r2)
    val l3 = p3 * n
    val r3 = l3 + h2
    val h3 = highTimes(p3, n) + carryOf(l3, h2, r3)
    val l4 = p4 * n
    val r4 = l4 + h3
    val h4 = highTimes(p4, n) + carryOf(l4, h3, r4)
    val r5 = p5 * n + h4
    // n p - a b, or n p + a b if a b is negative; first from the lowest word up.
    val flip = if (a.negative != b.negative) 0L else -1L
    val d0 = r0 + (q0 ^ flip)
    val e0 = d0 - flip
    val c0 = carryOf(r0, q0 ^ flip, d0) + carryOf(d0, -flip, e0)
    val d1 = r1 + (q1 ^ flip)
    val e1 = d1 + c0
    val c1 = carryOf(r1, q1 ^ flip, d1) + carryOf(d1, c0, e1)
    val d2 = r2 + (q2 ^ flip)
    val e2 = d2 + c1
    val c2 = carryOf(r2, q2 ^ flip, d2) + carryOf(d2, c1, e2)
    val d3 = r3 + (q3 ^ flip)
    val e3 = d3 + c2
    val c3 = carryOf(r3, q3 ^ flip, d3) + carryOf(d3, c2, e3)
    val d4 = r4 + (q4 ^ flip)
    val e4 = d4 + c3
    val c4 = carryOf(r4, q4 ^ flip, d4) + carryOf(d4, c3, e4)
    val e5 = r5 + (q5 ^ flip) + c4
    words(0) = e0
    words(1) = e1
    words(2) = e2
    words(3) = e3
    words(4) = e4
    words(5) = e5
    size = 6
    negative = e5 < 0L
    if (negative) negateWords()
    trim()
  }

  /** Returns true if the magnitude is less than 2^95. */
  def isNarrow: Boolean = size < 2 || (size == 2 && words(1) >>> 31 == 0L)

  /**
   * Like `setDeterminant`, where p is the sum of the first six chunks, and a and b, set by
   * `loadShort`, are narrow.
   */
  def setNarrowDeterminant(n: Long, chunks: Array[Long], a: Limbs, b: Limbs): Unit = {
    val a0 = a.words(0)
    val a1 = a.words(1)
    val b0 = b.words(0)
    val b1 = b.words(1)
    // a b in q0 to q2.
    val q0 = a0 * b0
    val low = Rounding.multiplyHigh(a0, b0)
    val x = a0 * b1
    val y = a1 * b0
    val xSum = low + x
    val q1 = xSum + y
    val q2 = Rounding.multiplyHigh(a0, b1) + Rounding.multiplyHigh(a1, b0) + a1 * b1 +
      carryOf(low, x, xSum) + carryOf(xSum, y, q1)
    // p in p0 to p3, two's complement; n p in r0 to r3.
    val t0 = chunks(0)
    val t1 = chunks(1) + (t0 >> 32)
    val t2 = chunks(2) + (t1 >> 32)
    val t3 = chunks(3) + (t2 >> 32)
    val t4 = chunks(4) + (t3 >> 32)
    val t5 = chunks(5) + (t4 >> 32)
    val p0 = (t0 & Low) | (t1 << 32)
    val p1 = (t2 & Low) | (t3 << 32)
    val p2 = (t4 & Low) | (t5 << 32)
    val r0 = p0 * n
    val h0 = highTimes(p0, n)
    val l1 = p1 * n
    val r1 = l1 + h0
    val h1 = highTimes(p1, n) + carryOf(l1, h0, r1)
    val l2 = p2 * n
    val r2 = l2 + h1
    val r3 = (t5 >> 32) * n + highTimes(p2, n) + carryOf(l2, h1, r2)
    // n p - a b, or n p + a b if a b is negative; first from the lowest word up.
    val flip = if (a.negative != b.negative) 0L else -1L
    val d0 = r0 + (q0 ^ flip)
    val e0 = d0 - flip
    val c0 = carryOf(r0, q0 ^ flip, d0) + carryOf(d0, -flip, e0)
    val d1 = r1 + (q1 ^ flip)
    val e1 = d1 + c0
    val c1 = carryOf(r1, q1 ^ flip, d1) + carryOf(d1, c0, e1)
    val d2 = r2 + (q2 ^ flip)
    val e2 = d2 + c1
    val c2 = carryOf(r2, q2 ^ flip, d2) + carryOf(d2, c1, e2)
    val e3 = r3 + flip + c2
    words(0) = e0
    words(1) = e1
    words(2) = e2
    words(3) = e3
    size = 4
    negative = e3 < 0L
    if (negative) negateWords()
    trim()
  }

  def set(other: Limbs): Unit = {
    reserve(other.size)
    System.arraycopy(other.words, 0, words, 0, other.size)
    size = other.size
    negative = other.negative
  }

  /** Sets it to a * b; neither may be this object. */
  def setProduct(a: Limbs, b: Limbs): Unit =
    if (a.size == 0 || b.size == 0) setZero()
    else {
      reserve(a.size + b.size)
      size = a.size + b.size
      negative = a.negative != b.negative
      multiply(a.words, a.size, b.words, b.size)
      if (words(size - 1) == 0L) size -= 1
    }

  private def multiply(a: Array[Long], aSize: Int, b: Array[Long], bSize: Int): Unit = {
    val out = words
    util.Arrays.fill(out, 0, aSize, 0L)
    var j = 0
    while (j < bSize) {
      val factor = b(j)
      var carry = 0L
      var i = 0
      while (i < aSize) {
        val low = a(i) * factor
        val high = Rounding.multiplyHigh(a(i), factor)
        val once = low + carry
        val before = out(i + j)
        val twice = once + before
        out(i + j) = twice
        carry = high + carryOf(low, carry, once) + carryOf(once, before, twice)
        i += 1
      }
      out(j + aSize) = carry
      j += 1
    }
  }

  /** Multiplies it by `factor`, which is not negative. */
  def scale(factor: Long): Unit = {
    reserve(size + 1)
    var carry = 0L
    var i = 0
    while (i < size) {
      val word = words(i)
      val low = word * factor
      val sum = low + carry
      carry = Rounding.multiplyHigh(word, factor) + carryOf(low, carry, sum)
      words(i) = sum
      i += 1
    }
    words(size) = carry
    size += 1
    trim()
  }

  def add(other: Limbs): Unit = accumulate(other, other.negative)

  def subtract(other: Limbs): Unit = accumulate(other, !other.negative)

  private def accumulate(other: Limbs, otherNegative: Boolean): Unit =
    if (other.size == 0) ()
    else if (size == 0) {
      set(other)
      negative = otherNegative
    } else if (negative == otherNegative) addWords(other)
    else if (subtractWords(other)) {
      negateWords()
      negative = !negative
      trim()
    } else trim()

  private def addWords(other: Limbs): Unit = {
    val length = math.max(size, other.size) + 1
    extend(length)
    var carry = 0L
    var i = 0
    while (i < other.size || (carry != 0L && i < length)) {
      val addend = if (i < other.size) other.words(i) else 0L
      val once = words(i) + carry
      val twice = once + addend
      carry = carryOf(words(i), carry, once) + carryOf(once, addend, twice)
      words(i) = twice
      i += 1
    }
    trim()
  }

  /**
   * Sets it to the difference of the magnitudes, in two's complement. Returns true if it is
   * negative.
   */
  private def subtractWords(other: Limbs): Boolean = {
    extend(math.max(size, other.size))
    var borrow = 0L
    var i = 0
    while (i < size) {
      val subtrahend = if (i < other.size) other.words(i) else 0L
      val once = words(i) - subtrahend
      val twice = once - borrow
      borrow = borrowOf(words(i), subtrahend, once) + borrowOf(once, borrow, twice)
      words(i) = twice
      i += 1
    }
    borrow != 0L
  }

  /** Returns the double nearest to this times 2^exponent. */
  def round(exponent: Int): Double =
    if (size == 0) 0.0
    else Rounding.round(negative, leading(0), hasBelow(1), exponent + 64 * (size - 1) - shift)

  /** Returns the double nearest to this times 2^exponent over `divisor`. */
  def quotient(divisor: Long, exponent: Int): Double =
    if (size == 0) 0.0
    else {
      Rounding.quotient(
        negative,
        leading(0),
        leading(1),
        hasBelow(2),
        divisor,
        exponent + 64 * (size - 2) - shift
      )
    }

  /** Returns the `index`-th word from the top after the leading bit has been shifted to the top. */
  def leading(index: Int): Long = {
    val at = size - 1 - index
    val s = shift
    val upper = if (at >= 0) words(at) << s else 0L
    val lower = if (at > 0) (words(at - 1) >>> 1) >>> (63 - s) else 0L
    upper | lower
  }

  /** The weight of the leading bit is 2^(bitLength - 1). */
  def bitLength: Int = 64 * size - shift

  private def shift: Int = java.lang.Long.numberOfLeadingZeros(words(size - 1))

  /** Returns true if a bit after the first `count` leading words is set. */
  private def hasBelow(count: Int): Boolean = {
    var at = size - 1 - count
    if (at < 0) false
    else if ((words(at) << shift) != 0L) true
    else {
      at -= 1
      while (at >= 0 && words(at) == 0L) at -= 1
      at >= 0
    }
  }

  def toBigInteger: BigInteger = {
    var value = BigInteger.ZERO
    var i = size - 1
    while (i >= 0) {
      value = value.shiftLeft(64).or(Int128Column.unsigned(words(i)))
      i -= 1
    }
    if (negative) value.negate else value
  }

  private def negateWords(): Unit = {
    var carry = 1L
    var i = 0
    while (i < size) {
      words(i) = ~words(i) + carry
      if (words(i) != 0L) carry = 0L
      i += 1
    }
  }

  private def trim(): Unit = {
    while (size > 0 && words(size - 1) == 0L) size -= 1
    if (size == 0) negative = false
  }

  private def extend(length: Int): Unit = {
    reserve(length)
    while (size < length) {
      words(size) = 0L
      size += 1
    }
  }

  private def reserve(length: Int): Unit =
    if (length > words.length) words = util.Arrays.copyOf(words, math.max(length, 2 * words.length))
}

private[kernel] object Limbs {
  private val InitialCapacity = 16
  private val Low = 0xffffffffL

  /** Returns the high word of a times n, where a is unsigned and n is not negative. */
  private def highTimes(a: Long, n: Long): Long = Math.multiplyHigh(a, n) + ((a >> 63) & n)

  /** Returns the carry of a + b = sum, without a branch, which could not be predicted. */
  private def carryOf(a: Long, b: Long, sum: Long): Long = ((a & b) | ((a | b) & ~sum)) >>> 63

  /** Returns the borrow of a - b = difference. */
  private def borrowOf(a: Long, b: Long, difference: Long): Long =
    ((~a & b) | ((~a | b) & difference)) >>> 63
}
