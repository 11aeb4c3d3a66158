package io.muntin.kernel.sums

import java.math.BigInteger
import java.util

import io.muntin.kernel.sums.ChunkSum.{FixedPoint, FloatingPoint, Kind}

/**
 * A sum as self-describing bytes, which are equal for equal sums:
 *
 * {{{
 * fixed point     0, the decimal scale, the unscaled sum
 * floating point  1 + 2 (NaN) + 4 (infinity) + 8 (-infinity), the exponent (2 bytes), significand
 * }}}
 *
 * where sum and significand are big-endian two's complement of minimal length (empty for 0). The
 * significand is odd, or both significand and exponent are missing. An example: 1.5 is `1, -1, -1,
 * 3`, three times 2^-1.
 *
 * Cost: 50 nanoseconds to write the sum of similar doubles, 20 to add it. Guarded by SumBytesSuite.
 */
private[sums] object SumBytes {
  private final val Floating = 1

  def of(sum: ChunkSum): Array[Byte] = {
    sum.normalize()
    val low = sum.lowest
    val high = sum.highest
    // The lowest bit to write, and the number of bytes, with one bit for the sign.
    var bottom = 0
    var length = 0
    if (high >= low) {
      bottom = sum.kind match {
        case FixedPoint(_) => 0
        case _ => sum.bottom(low)
      }
      length = (sum.top(high) - bottom) / 8 + 1
    }
    val bytes = sum.kind match {
      case FixedPoint(scale) =>
        val bytes = new Array[Byte](2 + length)
        bytes(1) = scale.toByte
        bytes
      case FloatingPoint(power) =>
        val bytes = new Array[Byte]((if (length == 0) 1 else 3) + length)
        bytes(0) = (Floating | (if (sum.nonFinite == 0L) 0 else sum.nonFinites.flags)).toByte
        if (length > 0) {
          val exponent = bottom - 1074 * power
          bytes(1) = (exponent >> 8).toByte
          bytes(2) = exponent.toByte
        }
        bytes
    }
    var i = 0
    while (i < length) {
      bytes(bytes.length - 1 - i) = byteAt(sum, bottom + 8 * i, high).toByte
      i += 1
    }
    bytes
  }

  /** Returns eight bits from `bit` on, after `carry`; above the highest chunk, its sign. */
  private def byteAt(sum: ChunkSum, bit: Int, high: Int): Long = {
    val chunk = bit >>> 5
    val s = bit & 31
    if (chunk >= high) sum.at(high) >> math.min(63, bit - 32 * high)
    else {
      val here = sum.at(chunk) >>> s
      if (s <= 24) here else here | (sum.at(chunk + 1) << (32 - s))
    }
  }

  /**
   * Adds the serialized sum if `sign` is 0, or subtracts it if it is -1. Throws
   * IllegalArgumentException if a sum of this kind cannot hold it.
   */
  def add(sum: ChunkSum, bytes: Array[Byte], sign: Long): Unit = {
    if (bytes.length == 0) throw new IllegalArgumentException("an empty sum")
    if ((bytes(0) & Floating) != 0) addFloating(sum, bytes, sign)
    else if (bytes(0) != 0 || bytes.length < 2) throw unknown(bytes)
    else addFixed(sum, bytes, sign)
  }

  private def addFixed(sum: ChunkSum, bytes: Array[Byte], sign: Long): Unit = {
    val scale = bytes(1).toInt
    if (bytes.length > 2) sum.kind match {
      case FixedPoint(`scale`) => addNumber(sum, bytes, 2, 0, sign)
      case FixedPoint(wider) if wider > scale =>
        val unscaled = new BigInteger(util.Arrays.copyOfRange(bytes, 2, bytes.length))
        val value = unscaled.multiply(BigInteger.TEN.pow(wider - scale))
        sum.add(if (sign == 0L) value else value.negate)
      case FloatingPoint(power) if scale == 0 => addNumber(sum, bytes, 2, 1074 * power, sign)
      case _ => throw mismatch(sum, FixedPoint(scale))
    }
  }

  private def addFloating(sum: ChunkSum, bytes: Array[Byte], sign: Long): Unit = sum.kind match {
    case FloatingPoint(power) =>
      if (bytes.length > 1) {
        if (bytes.length < 4) throw unknown(bytes)
        val exponent = (bytes(1) << 8) | (bytes(2) & 0xff)
        val position = exponent + 1074 * power
        if (position < 0) throw mismatch(sum, FloatingPoint(power + 1))
        addNumber(sum, bytes, 3, position, sign)
      }
      val flags = bytes(0) & NonFinite.All
      if (flags != 0) sum.nonFinites.change(flags, 1L + 2L * sign)
    case _ => throw mismatch(sum, FloatingPoint(1))
  }

  private def mismatch(sum: ChunkSum, other: Kind) =
    new IllegalArgumentException(
      s"a sum of ${other.name} cannot be added to one of ${sum.kind.name}"
    )

  private def unknown(bytes: Array[Byte]) =
    new IllegalArgumentException(s"${bytes.length} bytes are not a sum of version 1")

  /** Adds or subtracts the big-endian two's complement from `from` on, at `position`. */
  def addNumber(sum: ChunkSum, bytes: Array[Byte], from: Int, position: Int, sign: Long): Unit = {
    val shift = position & 31
    var at = sum.place(position >>> 5, ((bytes.length - from) >> 2) + 3)
    val chunks = sum.chunks
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
      chunks(at) += ((shifted & Chunks.Low) ^ sign) - sign
      chunks(at + 1) += ((shifted >> 32) ^ sign) - sign
      at += 1
      end = start
    }
    sum.changed()
  }
}
