package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.math.BigInteger
import java.util

import io.muntin.kernel.columns.LongColumn

/**
 * The exact sum of numbers, with removal: a removed number leaves no trace, and the sum does not
 * depend on the order or the parts from which it was made. The numbers are doubles, products of
 * two, three or four doubles, or integers, which may be unscaled decimals.
 *
 * A finite double is a significand of 53 bits at one of 2046 positions. The sum consists of chunks
 * of 32 bits, each in a long. A double adds three pieces to three neighbouring chunks, a product
 * more, without carries, because a long has room for many pieces. Only a window of chunks exists:
 * from the lowest to the highest chunk that a number has used. Numbers of similar magnitude use
 * three to ten chunks; a number outside the window widens it, and some reads narrow it again.
 *
 * An example, with chunks of two decimal digits:
 *
 * {{{
 * chunk of weight        1   1/100   1/10000
 * add 12.5              12      50
 * add 99.9             111     140
 * add 0.0307           111     143         7    the window is one chunk wider
 * carry out            112      43         7
 * subtract 12.5        100      -7         7    the sum is 99.9307
 * }}}
 *
 * Zeros have no piece. NaN and the infinities are counted, and determine the result while any is in
 * the sum.
 *
 * Cost per row: six nanoseconds to add a double, six to subtract it, a third less for both in one
 * call; six for the product of two, eleven for a higher power; eight to read a sum, fifteen a mean.
 * Sources: Kulisch's long accumulator; Neal 2015 (arXiv 1505.05571) for the chunks. Guarded by
 * ChunkSumSuite.
 *
 * @param room
 *   the number of additions and removals between two calls of `carry`; numbers may be replaced only
 *   if the sum has at most 2^29 numbers
 */
final class ChunkSum private (val kind: ChunkSum.Kind, room: Int) {
  import Chunks.Low
  import ChunkSum._

  // Chunk base + i is chunks(i), for i below size; later entries are zero.
  private[sums] var chunks = Empty
  private[sums] var base = 0
  private[sums] var size = 0

  private val lowestExponent = kind match {
    case FloatingPoint(power) => -1074 * power
    case _ => -1074
  }
  private var untilCarry = room
  private var longReads = 0
  private var odd = NonFinite.None
  private var scratch: Limbs = _

  /** NaN and the infinities in the sum. */
  private[sums] def nonFinites: NonFinite = {
    if (odd eq NonFinite.None) odd = new NonFinite
    odd
  }

  /** Returns how many of the numbers are NaN or infinite. */
  def nonFinite: Long = odd.count

  /** Resets the sum to no numbers. */
  def clear(): Unit = {
    util.Arrays.fill(chunks, 0, size, 0L)
    size = 0
    untilCarry = room
    odd = NonFinite.None
  }

  def add(value: Double): Unit = {
    change(value, 0L)
    changed()
  }

  def subtract(value: Double): Unit = {
    change(value, -1L)
    changed()
  }

  /**
   * Adds a double if `direction` is 0, or subtracts it if it is -1. The caller counts the changes,
   * here and below, and calls `carry`.
   */
  private[sums] def change(value: Double, direction: Long): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    if (!Chunks.isFinite(bits)) nonFinites.change(value, 1L + 2L * direction)
    else {
      val magnitude = Chunks.significand(bits)
      if (magnitude != 0L) {
        val position = Chunks.position(bits)
        val at = place(position >>> 5, 3)
        val shift = position & 31
        val sign = bits >> 63
        val significand = (magnitude ^ sign) - sign
        val low = significand << shift
        chunks(at) += ((low & Low) ^ direction) - direction
        chunks(at + 1) += ((low >>> 32) ^ direction) - direction
        chunks(at + 2) += (((significand >> 1) >> (63 - shift)) ^ direction) - direction
      }
    }
  }

  /** Subtracts one double and adds another, in one pass if both begin in the same chunk. */
  def replace(gone: Double, come: Double): Unit = {
    val out = java.lang.Double.doubleToRawLongBits(gone)
    val in = java.lang.Double.doubleToRawLongBits(come)
    val chunk = Chunks.position(in) >>> 5
    val outMagnitude = Chunks.significand(out)
    val inMagnitude = Chunks.significand(in)
    if (
      Chunks.position(out) >>> 5 == chunk && outMagnitude != 0L && inMagnitude != 0L &&
      Chunks.isFinite(out) && Chunks.isFinite(in)
    ) {
      val outSign = out >> 63
      val inSign = in >> 63
      val outgoing = (outMagnitude ^ outSign) - outSign
      val incoming = (inMagnitude ^ inSign) - inSign
      val outShift = Chunks.position(out) & 31
      val inShift = Chunks.position(in) & 31
      val outLow = outgoing << outShift
      val inLow = incoming << inShift
      val at = place(chunk, 3)
      chunks(at) += (inLow & Low) - (outLow & Low)
      chunks(at + 1) += (inLow >>> 32) - (outLow >>> 32)
      chunks(at + 2) +=
        ((incoming >> 1) >> (63 - inShift)) - ((outgoing >> 1) >> (63 - outShift))
    } else {
      subtract(gone)
      add(come)
    }
  }

  /** Adds the product of two doubles. Adds nothing if either is NaN or infinite. */
  def addProduct(x: Double, y: Double): Unit = {
    val a = java.lang.Double.doubleToRawLongBits(x)
    val b = java.lang.Double.doubleToRawLongBits(y)
    val m = Chunks.significand(a)
    val n = Chunks.significand(b)
    if (m != 0L && n != 0L && Chunks.isFinite(a) && Chunks.isFinite(b)) {
      val position = Chunks.position(a) + Chunks.position(b)
      change(position, Math.multiplyHigh(m, n), m * n, (a ^ b) >> 63)
      changed()
    }
  }

  /** Adds the second, third or fourth power of a double. Adds nothing if it is NaN or infinite. */
  def addPower(value: Double, power: Int): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    val m = Chunks.significand(bits)
    if (m != 0L && Chunks.isFinite(bits)) {
      val position = power * Chunks.position(bits)
      val high = Math.multiplyHigh(m, m)
      if (power == 2) change(position, high, m * m, 0L)
      else if (power == 3) changeCube(position, m, high, m * m, bits >> 63)
      else changeFourth(position, high, m * m, 0L)
      changed()
    }
  }

  /** Adds an integer, or a decimal's unscaled value. */
  def add(value: Long): Unit =
    if (value != 0L) {
      change(0, 0L, if (value < 0L) -value else value, value >> 63)
      changed()
    }

  /** Adds an integer that may exceed a long. */
  def add(value: BigInteger): Unit =
    if (value.bitLength < 64) add(value.longValue)
    else SumBytes.addNumber(this, value.toByteArray, 0, 0, 0L)

  /** Adds the sum `other`, of the same kind. */
  def add(other: ChunkSum): Unit = {
    if (other.size > 0) {
      other.carry()
      carry()
      val at = place(other.base, other.size)
      var i = 0
      while (i < other.size) {
        chunks(at + i) += other.chunks(i)
        i += 1
      }
      changed()
    }
    if (other.nonFinite != 0L) nonFinites.add(other.odd)
  }

  /** Adds 128 bits at `position` if `sign` is 0, or subtracts them if it is -1. */
  private[sums] def change(position: Int, high: Long, low: Long, sign: Long): Unit = {
    val at = place(position >>> 5, 5)
    Chunks.add(chunks, at, position & 31, high, low, sign)
  }

  /** Adds or subtracts m^3, where m^2 is `high` and `low`. */
  private[sums] def changeCube(position: Int, m: Long, high: Long, low: Long, sign: Long): Unit = {
    val at = place(position >>> 5, 8)
    Chunks.addCube(chunks, at, position & 31, m, high, low, sign)
  }

  /** Adds or subtracts the square of `high` and `low`. */
  private[sums] def changeFourth(position: Int, high: Long, low: Long, sign: Long): Unit = {
    val at = place(position >>> 5, 8)
    Chunks.addFourth(chunks, at, position & 31, high, low, sign)
  }

  /** Adds the serialized sum. Throws IllegalArgumentException if this kind cannot hold it. */
  def merge(bytes: Array[Byte]): Unit = SumBytes.add(this, bytes, 0L)

  /**
   * Appends the sum to a column: the range of its chunks, the chunks, and the non-finite numbers.
   */
  private[sums] def write(to: LongColumn): Unit = {
    normalize()
    to.append(base.toLong << 32 | size.toLong << 1 | (if (nonFinite != 0L) 1L else 0L))
    var i = 0
    while (i < size) {
      to.append(chunks(i))
      i += 1
    }
    if (nonFinite != 0L) odd.write(to)
  }

  /**
   * Adds the sum written at a position if `direction` is 0, or subtracts it if it is -1. Returns
   * the position after it.
   */
  private[sums] def change(written: LongColumn, at: Long, direction: Long): Long = {
    val head = written(at)
    val length = head.toInt >>> 1
    if (length != 0) {
      val first = place((head >> 32).toInt, length)
      var i = 0
      while (i < length) {
        chunks(first + i) += (written(at + 1L + i) ^ direction) - direction
        i += 1
      }
      changed()
    }
    val end = at + 1L + length
    if ((head & 1L) == 0L) end else nonFinites.change(written, end, direction)
  }

  /** Copies the sum of `other`, of the same kind. */
  def copyFrom(other: ChunkSum): Unit = {
    other.normalize()
    clear()
    if (chunks.length < other.size) chunks = new Array[Long](other.chunks.length)
    System.arraycopy(other.chunks, 0, chunks, 0, other.size)
    base = other.base
    size = other.size
    if (other.nonFinite != 0L) nonFinites.copyFrom(other.odd)
  }

  /** Sets the sum to the integer with this two's complement. */
  private[sums] def copyFrom(high: Long, middle: Long, low: Long): Unit = {
    clear()
    val at = place(0, 6)
    chunks(at) = low & Low
    chunks(at + 1) = low >>> 32
    chunks(at + 2) = middle & Low
    chunks(at + 3) = middle >>> 32
    chunks(at + 4) = high & Low
    chunks(at + 5) = high >> 32
  }

  /** Serializes the sum. */
  def toBytes: Array[Byte] = SumBytes.of(this)

  private[kernel] def save(out: DataOutput): Unit = {
    val bytes = toBytes
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private[kernel] def restore(in: DataInput): Unit = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    clear()
    merge(bytes)
  }

  /** Returns the sum of integers, or of unscaled decimals. */
  def toBigInteger: BigInteger = {
    normalize()
    if (highest <= 1 && at(1) == at(1).toInt) BigInteger.valueOf(at(0) + (at(1) << 32))
    else {
      val bytes = toBytes
      if (bytes.length == 2) BigInteger.ZERO
      else new BigInteger(util.Arrays.copyOfRange(bytes, 2, bytes.length))
    }
  }

  /** Returns the double nearest to the exact sum; 0.0 if there are no numbers. */
  def sum: Double = mean(1L)

  /** Returns the sum of doubles if a double equals it exactly and is finite; else NaN. */
  def exactDouble: Double =
    if (nonFinite != 0L) Double.NaN
    else {
      normalize()
      val low = lowest
      val high = highest
      if (high < low) 0.0
      else {
        val nearest = if (top(high) - bottom(low) <= SignificandBits) sum else Double.NaN
        if (java.lang.Double.isInfinite(nearest)) Double.NaN else nearest
      }
    }

  /** Returns the double nearest to the exact sum over `divisor`, which is above zero. */
  def mean(divisor: Long): Double =
    if (nonFinite != 0L) odd.sum
    else if (size == 0) 0.0
    else if (isShort) shortQuotient(divisor)
    else longQuotient(divisor)

  /** Converts five chunks to three words of two's complement, without writing to memory. */
  private def shortQuotient(divisor: Long): Double = {
    val t0 = chunks(0)
    val t1 = chunks(1) + (t0 >> 32)
    val t2 = chunks(2) + (t1 >> 32)
    val t3 = chunks(3) + (t2 >> 32)
    val t4 = chunks(4) + (t3 >> 32)
    Rounding.quotient(t4, (t2 & Low) | (t3 << 32), (t0 & Low) | (t1 << 32), divisor, exponent)
  }

  private def longQuotient(divisor: Long): Double = {
    if (scratch == null) scratch = new Limbs
    load(scratch)
    scratch.quotient(divisor, exponent)
  }

  /** Returns true if the window has at most five chunks, as for doubles of similar magnitude. */
  private[sums] def isShort: Boolean = size <= 5

  /**
   * The lowest bit that `load` returns has the weight 2^exponent; for doubles and their products.
   */
  private[sums] def exponent: Int = (base << 5) + lowestExponent

  /** Loads the exact sum of the finite numbers, in units of the window's lowest bit. */
  private[sums] def load(limbs: Limbs): Unit =
    if (isShort) limbs.loadShort(chunks, 0)
    else limbs.load(chunks, 0, (size + 1) & ~1)

  /** Returns true at one of `n` reads, to check if a long window can become narrower. */
  private[sums] def isDue: Boolean = !isShort && {
    longReads += 1
    longReads % Patience == 0
  }

  /** Returns true if the window begins with `chunk`, and the array has some room. */
  private[sums] def begins(chunk: Int): Boolean = base == chunk && chunks.length >= Capacity

  /** Extends the window down to `chunk`, and ensures that the array has some room. */
  private[sums] def beginAt(chunk: Int): Unit = {
    if (chunks.length < Capacity) chunks = util.Arrays.copyOf(chunks, Capacity)
    if (size == 0) base = chunk else if (base != chunk) widen(chunk, chunk)
  }

  /**
   * Returns the index of chunk `from` in the array, after extending the window to `length` chunks
   * from there.
   */
  private[sums] def place(from: Int, length: Int): Int = {
    val at = from - base
    if (at >= 0 && at + length <= size) at
    else {
      widen(from, from + length)
      from - base
    }
  }

  private def widen(from: Int, until: Int): Unit = {
    val low = if (size == 0) from else math.min(from, base)
    val high = if (size == 0) until else math.max(until, base + size)
    val before = chunks
    // An even number, and enough for a short read.
    if (high - low > before.length) chunks = new Array[Long](math.max(6, (high - low + 1) & ~1))
    if (size != 0 && ((before ne chunks) || low != base)) {
      System.arraycopy(before, 0, chunks, base - low, size)
      if (before eq chunks) util.Arrays.fill(chunks, 0, base - low, 0L)
    }
    base = low
    size = high - low
  }

  private[sums] def changed(): Unit = {
    untilCarry -= 1
    if (untilCarry == 0) carry()
  }

  /** Leaves 32 bits in each chunk except the last, which has the sign. */
  private[sums] def carry(): Unit = {
    if (size != 0) {
      val top = chunks(size - 1)
      if (math.abs(top) >= Full) widen(base, base + size + 2)
      Chunks.carryOut(chunks, size)
    }
    untilCarry = room
  }

  /** Carries, and shrinks a long window to its non-zero chunks. */
  private[sums] def normalize(): Unit = {
    carry()
    if (!isShort) {
      val from = lowest - base
      val until = highest + 1 - base
      if (from >= until) clearWindow()
      else if (until - from < size) {
        System.arraycopy(chunks, from, chunks, 0, until - from)
        util.Arrays.fill(chunks, until - from, size, 0L)
        base += from
        size = until - from
      }
    }
  }

  private def clearWindow(): Unit = {
    util.Arrays.fill(chunks, 0, size, 0L)
    size = 0
  }

  /**
   * Returns the lowest non-zero chunk, after `carry`; `highest` returns the highest. 0 and -1 if
   * all are zero.
   */
  private[sums] def lowest: Int = {
    var i = 0
    while (i < size && chunks(i) == 0L) i += 1
    if (i == size) 0 else base + i
  }

  private[sums] def highest: Int = {
    var i = size - 1
    while (i >= 0 && chunks(i) == 0L) i -= 1
    if (i < 0) -1 else base + i
  }

  /** Returns the number of bits below the sign, if `high` is the highest chunk. */
  private[sums] def top(high: Int): Int = {
    val last = at(high)
    32 * high + 64 - java.lang.Long.numberOfLeadingZeros(last ^ (last >> 63))
  }

  /** Returns the lowest non-zero bit, if `low` is the lowest chunk. */
  private[sums] def bottom(low: Int): Int =
    32 * low + java.lang.Long.numberOfTrailingZeros(at(low))

  private[sums] def at(chunk: Int): Long =
    if (chunk < base || chunk >= base + size) 0L else chunks(chunk - base)
}

object ChunkSum {

  /** The kind of numbers that a sum adds. */
  sealed abstract class Kind(val name: String) extends Serializable

  /** Integers, or decimals of this scale. */
  final case class FixedPoint(scale: Int)
      extends Kind(if (scale == 0) "integers" else s"decimals of scale $scale")

  /** Doubles, or products of this number of doubles. */
  final case class FloatingPoint(power: Int)
      extends Kind(if (power == 1) "doubles" else s"products of $power doubles")

  def apply(kind: Kind, room: Int = Chunks.Room): ChunkSum = new ChunkSum(kind, room)

  private final val SignificandBits = 53

  // The number of chunks that a determinant reads.
  private final val Capacity = 12

  // A long window is checked once per this number of reads.
  private final val Patience = 64

  // The maximum value of a chunk that leaves room for all pieces before the next carry.
  private final val Full = 1L << 60

  private val Empty = new Array[Long](0)
}
