package io.muntin.kernel.sums

import java.io.{DataInput, DataOutput}
import java.math.BigInteger
import java.util

/**
 * An exact sum that takes as much room as its bits do: for partials, of which there may be one for
 * each of many groups.
 *
 * The sum is kept as a Superaccumulator keeps it, in chunks of 32 bits, each in a long, to which
 * pieces are added without carries; but only the chunks from the lowest to the highest in use are
 * there. Sums of numbers of similar magnitude have four to six. As a value it is bytes that say
 * what they are, equal for equal sums:
 *
 * {{{
 * fixed point     0, the decimal scale, the unscaled sum
 * floating point  1 + 2 (NaN) + 4 (infinity) + 8 (-infinity), the exponent (2 bytes), the significand
 * }}}
 *
 * where sum and significand are big-endian two's complement without a byte too many (none at all
 * for 0), and the significand is odd, or there is neither it nor an exponent.
 *
 * Cost per row: five nanoseconds to add a double, six for the product of two, eleven for a higher
 * power; 50 to write the sum of similar doubles, 20 to merge it. Guarded by CompactSumSuite.
 */
final class CompactSum private (kind: CompactSum.Kind, room: Int) {
  import CompactSum._

  private var chunks = Empty
  // What chunk the array begins with.
  private var base = 0
  private var untilCarry = room
  private var special = 0

  def hasNaN: Boolean = (special & NaNs) != 0
  def hasPositiveInfinity: Boolean = (special & PositiveInfinities) != 0
  def hasNegativeInfinity: Boolean = (special & NegativeInfinities) != 0

  /** Adds a double. */
  def add(value: Double): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    if (!Chunks.isFinite(bits)) {
      special |= (if (value.isNaN) NaNs
                  else if (value > 0.0) PositiveInfinities else NegativeInfinities)
    } else {
      val m = Chunks.significand(bits)
      if (m != 0L) add128(Chunks.position(bits), 0L, m, bits >> 63)
    }
  }

  /** Adds the product of two doubles; nothing where one of them is NaN or infinite. */
  def addProduct(x: Double, y: Double): Unit = {
    val a = java.lang.Double.doubleToRawLongBits(x)
    val b = java.lang.Double.doubleToRawLongBits(y)
    if (Chunks.isFinite(a) && Chunks.isFinite(b)) {
      val m = Chunks.significand(a)
      val n = Chunks.significand(b)
      if (m != 0L && n != 0L) {
        val position = Chunks.position(a) + Chunks.position(b)
        add128(position, Math.multiplyHigh(m, n), m * n, (a ^ b) >> 63)
      }
    }
  }

  /** Adds the third or fourth power of a double; nothing where it is NaN or infinite. */
  def addPower(value: Double, power: Int): Unit = {
    val bits = java.lang.Double.doubleToRawLongBits(value)
    if (Chunks.isFinite(bits)) {
      val m = Chunks.significand(bits)
      if (m != 0L) {
        val position = power * Chunks.position(bits)
        ensure(position >>> 5, (position >>> 5) + 8)
        val high = Math.multiplyHigh(m, m)
        val at = position - 32 * base
        if (power == 3) PowerSums.addCube(chunks, at, m, high, m * m, bits >> 63)
        else PowerSums.addFourth(chunks, at, high, m * m, 0L)
        added()
      }
    }
  }

  /** Adds an integer, or a decimal's unscaled value. */
  def add(value: Long): Unit =
    if (value != 0L) add128(0, 0L, if (value < 0L) -value else value, value >> 63)

  /** The same for what may be no long. */
  def add(value: BigInteger): Unit =
    if (value.bitLength < 64) add(value.longValue) else addBytes(value.toByteArray, 0, 0, 0L)

  private def add128(position: Int, high: Long, low: Long, sign: Long): Unit = {
    val chunk = position >>> 5
    ensure(chunk, chunk + 5)
    Chunks.add(chunks, position - 32 * base, high, low, sign)
    added()
  }

  /** Adds what `bytes` says; where it cannot be said in this sum's kind: IllegalArgumentException. */
  def merge(bytes: Array[Byte]): Unit = {
    change(bytes, 0L)
    special |= CompactSum.special(bytes)
  }

  /**
   * Adds the number that `bytes` says, or takes it away where `sign` is -1 and not 0. NaN and the
   * infinities are the caller's to count.
   */
  private[kernel] def change(bytes: Array[Byte], sign: Long): Unit = {
    if (bytes.length == 0) throw new IllegalArgumentException("an empty sum")
    if ((bytes(0) & Floating) != 0) changeFloating(bytes, sign)
    else if (bytes(0) != 0 || bytes.length < 2) throw unknown(bytes)
    else changeFixed(bytes, sign)
  }

  private[kernel] def setSpecial(flags: Int): Unit = special = flags

  private def changeFixed(bytes: Array[Byte], sign: Long): Unit = {
    val scale = bytes(1).toInt
    if (bytes.length > 2) kind match {
      case FixedPoint(`scale`) => addBytes(bytes, 2, 0, sign)
      case FixedPoint(wider) if wider > scale =>
        val unscaled = new BigInteger(util.Arrays.copyOfRange(bytes, 2, bytes.length))
        val value = unscaled.multiply(BigInteger.TEN.pow(wider - scale))
        add(if (sign == 0L) value else value.negate)
      case FloatingPoint(power) if scale == 0 => addBytes(bytes, 2, 1074 * power, sign)
      case _ => throw mismatch(FixedPoint(scale))
    }
  }

  private def changeFloating(bytes: Array[Byte], sign: Long): Unit = kind match {
    case FloatingPoint(power) =>
      if (bytes.length > 1) {
        if (bytes.length < 4) throw unknown(bytes)
        val exponent = (bytes(1) << 8) | (bytes(2) & 0xff)
        val position = exponent + 1074 * power
        if (position < 0) throw mismatch(FloatingPoint(power + 1))
        addBytes(bytes, 3, position, sign)
      }
    case _ => throw mismatch(FloatingPoint(1))
  }

  private def mismatch(other: Kind) =
    new IllegalArgumentException(s"a sum of ${other.name} cannot be added to one of ${kind.name}")

  private def unknown(bytes: Array[Byte]) =
    new IllegalArgumentException(s"${bytes.length} bytes that are no sum of version 1")

  /** Adds the big-endian two's complement from `from` on, at `position`; or takes it away. */
  private def addBytes(bytes: Array[Byte], from: Int, position: Int, sign: Long): Unit = {
    val length = bytes.length - from
    val shift = position & 31
    var chunk = position >>> 5
    ensure(chunk, chunk + (length >> 2) + 3)
    var end = bytes.length
    while (end > from) {
      // Up to four bytes; the last ones have the sign.
      val start = math.max(from, end - 4)
      var piece = if (start == from) bytes(start).toLong else bytes(start) & 0xffL
      if (end - start == 4) {
        val three = (bytes(end - 3) & 0xffL) << 16 | (bytes(end - 2) & 0xffL) << 8 |
          (bytes(end - 1) & 0xffL)
        piece = (piece << 24) | three
      } else {
        var i = start + 1
        while (i < end) {
          piece = (piece << 8) | (bytes(i) & 0xffL)
          i += 1
        }
      }
      val shifted = piece << shift
      chunks(chunk - base) += ((shifted & Chunks.Low) ^ sign) - sign
      chunks(chunk - base + 1) += ((shifted >> 32) ^ sign) - sign
      chunk += 1
      end = start
    }
    added()
  }

  private def added(): Unit = {
    untilCarry -= 1
    if (untilCarry == 0) carry()
  }

  /** Leaves 32 bits in each chunk, and the sign in the last that is not zero. */
  private def carry(): Unit = {
    if (chunks.length > 0) {
      val top = chunks(chunks.length - 1)
      if (top != top.toInt) ensure(base, base + chunks.length + 2)
      Chunks.carryOut(chunks)
      // A sign that fills whole chunks goes into the last that has more than it.
      var i = chunks.length - 1
      while (i > 0 && chunks(i) == -1L) {
        chunks(i) = 0L
        chunks(i - 1) -= 1L << 32
        i -= 1
      }
    }
    untilCarry = room
  }

  /** Makes room for the chunks from `from` until `until`. */
  private def ensure(from: Int, until: Int): Unit =
    if (chunks.length == 0) {
      chunks = new Array[Long](until - from)
      base = from
    } else if (from < base || until > base + chunks.length) {
      val low = math.min(from, base)
      val high = math.max(until, base + chunks.length)
      val wider = new Array[Long](high - low)
      System.arraycopy(chunks, 0, wider, base - low, chunks.length)
      chunks = wider
      base = low
    }

  /** Becomes a sum of nothing. Keeps its chunks, where they are few. */
  private[kernel] def clear(): Unit = {
    if (chunks.length <= Few) util.Arrays.fill(chunks, 0L) else chunks = Empty
    untilCarry = room
    special = 0
  }

  /** Lets go of chunks that large values have left behind. */
  private[kernel] def trim(): Unit = if (chunks.length > Few) {
    carry()
    val (low, high) = (lowest, highest)
    if (high < low) chunks = Empty
    else if (high - low < Few / 2) {
      chunks = util.Arrays.copyOfRange(chunks, low - base, high + 1 - base)
      base = low
    }
  }

  /** Becomes the sum of these chunks of another, from `from` until `until`. */
  private[kernel] def become(source: Array[Long], from: Int, until: Int, flags: Int): Unit = {
    resize(until - from)
    System.arraycopy(source, from, chunks, 0, until - from)
    base = from
    special = flags
  }

  /** Becomes the two's complement of these words, unscaled. */
  private[kernel] def become(high: Long, middle: Long, low: Long): Unit = {
    resize(6)
    chunks(0) = low & Chunks.Low
    chunks(1) = low >>> 32
    chunks(2) = middle & Chunks.Low
    chunks(3) = middle >>> 32
    chunks(4) = high & Chunks.Low
    chunks(5) = high >> 32
    base = 0
    special = 0
  }

  // With room for what carries may add, so that the next sum of as many chunks finds it.
  private def resize(length: Int): Unit = {
    if (chunks.length < length || chunks.length > length + Few) {
      chunks = new Array[Long](length + 2)
    } else util.Arrays.fill(chunks, 0L)
    untilCarry = room
  }

  /** The sum as bytes. */
  def toBytes: Array[Byte] = {
    carry()
    val (low, high) = (lowest, highest)
    val header = kind match {
      case FixedPoint(_) => 2
      case FloatingPoint(_) => if (high < low) 1 else 3
    }
    // The lowest bit that is written, and how many are, with one for the sign.
    val (bottom, length) =
      if (high < low) (0, 0)
      else {
        val last = chunks(high - base)
        val magnitude = if (last < 0L) ~last else last
        val top = 32 * high + 64 - java.lang.Long.numberOfLeadingZeros(magnitude)
        val bottom = kind match {
          case FixedPoint(_) => 0
          case _ => 32 * low + java.lang.Long.numberOfTrailingZeros(chunks(low - base))
        }
        (bottom, (top - bottom) / 8 + 1)
      }
    val bytes = new Array[Byte](header + length)
    kind match {
      case FixedPoint(scale) => bytes(1) = scale.toByte
      case FloatingPoint(power) =>
        bytes(0) = (Floating | special).toByte
        if (high >= low) {
          val exponent = bottom - 1074 * power
          bytes(1) = (exponent >> 8).toByte
          bytes(2) = exponent.toByte
        }
    }
    var i = 0
    while (i < length) {
      bytes(bytes.length - 1 - i) = byteAt(bottom + 8 * i, high).toByte
      i += 1
    }
    bytes
  }

  /** Eight bits from `bit` on, once carries are out; above the highest chunk there is its sign. */
  private def byteAt(bit: Int, high: Int): Long = {
    val chunk = bit >>> 5
    val s = bit & 31
    if (chunk >= high) chunks(high - base) >> math.min(63, bit - 32 * high)
    else {
      val here = at(chunk) >>> s
      if (s <= 24) here else here | (at(chunk + 1) << (32 - s))
    }
  }

  private def at(chunk: Int): Long =
    if (chunk < base || chunk >= base + chunks.length) 0L else chunks(chunk - base)

  private[kernel] def save(out: DataOutput): Unit = {
    val bytes = toBytes
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  /** The sum of a fixed-point kind, unscaled. */
  def toBigInteger: BigInteger = {
    carry()
    val top = highest
    if (top <= 1 && at(1) == at(1).toInt) BigInteger.valueOf(at(0) + (at(1) << 32))
    else bigInteger(toBytes)
  }

  private def bigInteger(bytes: Array[Byte]): BigInteger =
    if (bytes.length == 2) BigInteger.ZERO
    else new BigInteger(util.Arrays.copyOfRange(bytes, 2, bytes.length))

  /** The lowest and the highest chunk that is not zero, once carries are out; 0 and -1 for none. */
  private[kernel] def lowest: Int = {
    var i = 0
    while (i < chunks.length && chunks(i) == 0L) i += 1
    if (i == chunks.length) 0 else base + i
  }

  private[kernel] def highest: Int = {
    var i = chunks.length - 1
    while (i >= 0 && chunks(i) == 0L) i -= 1
    if (i < 0) -1 else base + i
  }

  /** Takes the carries out and adds the chunks to those of an accumulator of the same power. */
  private[kernel] def pour(target: Array[Long]): Unit = {
    val (low, high) = (lowest, highest)
    if (high >= low) System.arraycopy(chunks, low - base, target, low, high - low + 1)
  }

  private[kernel] def settled(): CompactSum = {
    carry()
    this
  }
}

object CompactSum {

  /** What a sum is of. */
  sealed abstract class Kind(val name: String) extends Serializable

  /** Integers, or decimals of this scale. */
  final case class FixedPoint(scale: Int)
      extends Kind(if (scale == 0) "integers" else s"decimals of scale $scale")

  /** Doubles, or products of so many of them. */
  final case class FloatingPoint(power: Int)
      extends Kind(if (power == 1) "doubles" else s"products of $power doubles")

  def apply(kind: Kind, room: Int = 1 << 29): CompactSum = new CompactSum(kind, room)

  /** The sum that was saved, of the same kind. */
  private[kernel] def restored(kind: Kind, in: DataInput): CompactSum = {
    val bytes = new Array[Byte](in.readInt())
    in.readFully(bytes)
    val sum = CompactSum(kind)
    sum.merge(bytes)
    sum
  }

  private final val Floating = 1
  private[kernel] final val NaNs = 2
  private[kernel] final val PositiveInfinities = 4
  private[kernel] final val NegativeInfinities = 8

  /** Which of NaN and the infinities are in the sum that these bytes are. */
  private[kernel] def special(bytes: Array[Byte]): Int =
    bytes(0) & (NaNs | PositiveInfinities | NegativeInfinities)

  private final val Few = 16

  private val Empty = new Array[Long](0)
}
